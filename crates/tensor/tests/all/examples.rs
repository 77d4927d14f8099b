//! The example programs run; each asserts its own output.

/// Includes example programs as modules and runs them.
macro_rules! programs {
    ($($file:literal $name:ident;)*) => {$(
        #[path = $file]
        mod $name;

        #[test]
        fn $name() {
            $name::main().unwrap();
        }
    )*};
}

programs! {
    "../../examples/anatomy.rs" anatomy;
    "../../examples/copy_first.rs" copy_first;
    "../../examples/flatten.rs" flatten;
    "../../examples/movement.rs" movement;
    "../../examples/refused_view.rs" refused_view;
    "../../examples/shared_memory.rs" shared_memory;
    "../../examples/windows.rs" windows;
}
