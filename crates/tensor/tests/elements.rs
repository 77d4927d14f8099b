//! Tensors of one element, which are read without a claim until they are written: every write is seen, and guards are
//! respected. A program of its own: elements are read without a claim only while no thread records events.

use belvedere::*;

/// Returns a tensor of rank 0 with the value 7, which is read without a claim until it is written.
fn element() -> Tensor {
    Tensor::of_element(7i64).expect("8 bytes")
}

#[test]
fn an_element_is_read_as_it_was_written_last() {
    type Write = fn(&Tensor);
    let writes: [(&str, Write); 6] = [
        ("fill", |x| x.fill(9).unwrap()),
        ("assign", |x| assign_into(&tensor![9i64].select(0, 0).unwrap(), x).unwrap()),
        ("output", |x| add_into(x, 2, x).unwrap()),
        ("view", |x| x.reshape([1]).unwrap().fill(9).unwrap()),
        ("guard", |x| x.write::<i64>().unwrap().fill(9)),
        ("clone", |x| x.clone().fill(9).unwrap()),
    ];
    for (how, write) in writes {
        let x = element();
        assert_eq!((x.item::<i64>().unwrap(), x.try_item::<i64>()), (7, Some(7)), "{how}");
        write(&x);
        assert_eq!((x.item::<i64>().unwrap(), x.try_item::<i64>()), (9, Some(9)), "{how}");
        assert_eq!(x.add(&x).unwrap().item::<i64>().unwrap(), 18, "{how}");
        assert_eq!(x.mul(0.5).unwrap().item::<f64>().unwrap(), 4.5, "{how}");
        assert!(!x.is_sole_element(), "{how}");
    }
}

#[test]
fn an_element_that_a_guard_holds_for_writing_is_not_read() {
    let x = element();
    let guard = x.write::<i64>().unwrap();
    assert!(x.try_item::<i64>().is_none() && x.item::<i64>().is_err() && x.add(1).is_err());
    drop(guard);
    assert_eq!(x.item::<i64>().unwrap(), 7);
}

#[test]
fn an_exported_element_is_read_from_memory() {
    let x = element();
    x.storage().note_export();
    // SAFETY: the storage has 8 bytes, aligned, and no operation uses them now.
    unsafe { x.storage().ptr().cast::<i64>().write(8) };
    assert_eq!(x.item::<i64>().unwrap(), 8);
    assert_eq!(x.add(1).unwrap().item::<i64>().unwrap(), 9);
}

#[test]
fn an_element_is_replaced_only_if_it_is_unshared_and_unwritten() {
    let x = tensor![1i64, 2, 3];
    let mut sole = element();
    assert!(sole.try_replace_element(&x, 2) && sole.item::<i64>().unwrap() == 3);
    assert!(!sole.try_replace_element(&x, 3), "the storage ends before it");
    assert!(!sole.try_replace_element(&tensor![1i32], 0), "another dtype");
    let mut written = element();
    written.fill(9).unwrap();
    let mut shared = element();
    let other = shared.clone();
    let mut row = tensor![5i64];
    for (it, value) in [(&mut written, 9), (&mut shared, 7), (&mut row, 5)] {
        assert!(!it.try_replace_element(&x, 0));
        assert_eq!(it.item::<i64>().unwrap(), value);
    }
    assert_eq!(other.item::<i64>().unwrap(), 7);
}
