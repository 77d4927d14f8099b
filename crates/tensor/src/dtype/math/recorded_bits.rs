//! Results of the functions, as hashes that were recorded on x86-64: every processor returns the same bits.

use super::{BaselineFma as M, double, single};

/// Arguments of each function.
const LEN: i32 = 1000;

/// Calls `f` with numbers of the size that functions are used for, of every magnitude and with any bits, and special ones.
fn for_each_argument(mut f: impl FnMut(f64, u32)) {
    const SPECIAL: [f64; 9] = [f64::NAN, f64::INFINITY, -0.0, 0.0, 1.0, -1.0, 1e300, 5e-324, -1e17];
    let mut state = 1u64;
    for i in 0..LEN {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let bits = state ^ (state >> 29);
        let unit = (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let x = match i % 5 {
            0 => unit * 2.0,
            1 => unit * 90.0,
            2 => f64::from_bits(bits),
            3 => unit * 2f64.powi((bits % 200) as i32 - 100),
            _ => SPECIAL[(bits % 9) as usize],
        };
        f(x, bits as u32);
    }
}

/// Returns the FNV-1a hash of the bits of all results. All NaNs are one: their sign and payload depend on the instruction.
fn hash(single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut add = |is_nan: bool, bits: u64| {
        hash = (hash ^ if is_nan { 1 } else { bits }).wrapping_mul(0x0000_0100_0000_01B3);
    };
    for_each_argument(|x, bits| {
        let wide = double(x);
        add(wide.is_nan(), wide.to_bits());
        for narrow in [single(x as f32), single(f32::from_bits(bits))] {
            add(narrow.is_nan(), u64::from(narrow.to_bits()));
        }
    });
    hash
}

#[test]
fn results_have_the_recorded_bits() {
    macro_rules! functions {
        ($($name:ident)*) => {
            [$((stringify!($name), hash(single::$name::<M>, double::$name::<M>))),*]
        };
    }
    let mut found = functions! {
        exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt
        logistic swish softplus gelu gelu_tanh erf
    }
    .to_vec();
    let power = |y: f64| {
        hash(|x| single::power_fused::<M>(x, y as f32), |x| double::power_fused::<M>(x, y))
    };
    found.extend([
        ("power of 1.37", power(1.37)),
        ("power of -3", power(-3.0)),
        ("hypot", hash(|x| single::hypot::<M>(x, 1.5), |x| double::hypot::<M>(x, 1.5))),
        ("atan2", hash(|x| single::atan2::<M>(x, 0.7), |x| double::atan2::<M>(x, 0.7))),
        ("erfc", hash(single::erfc, double::erfc)),
    ]);
    let row = |(name, hash): &(&str, u64)| format!("    (\"{name}\", 0x{hash:016x}),\n");
    let table: String = found.iter().map(row).collect();
    assert!(found == RECORDED, "the results have these hashes:\n{table}");
}

/// The names and hashes of all functions.
#[rustfmt::skip]
const RECORDED: [(&str, u64); 31] = [
    ("exp", 0x90fe9f37442e462a),
    ("exp2", 0xe17891a761843880),
    ("exp_m1", 0x76bac9244ca08f30),
    ("ln", 0x7338831521dd8f31),
    ("ln_1p", 0xb79c9287718ed3e5),
    ("log2", 0x5f7f409d995ce104),
    ("log10", 0x34d1d381b1aa5431),
    ("sin", 0xb5dab51719408cf1),
    ("cos", 0xdbfe3b724bfc419a),
    ("tan", 0x99d2c4e6aadfeadd),
    ("asin", 0x7f80488172230bf8),
    ("acos", 0xd5f1bd97bacbd542),
    ("atan", 0x1b4ca9dabb562558),
    ("sinh", 0xd221e6f6b866d449),
    ("cosh", 0x0bcf3a3a51c5cba6),
    ("tanh", 0x002794b096445c65),
    ("asinh", 0x61847e5383346754),
    ("acosh", 0xb01e998a34300d6b),
    ("atanh", 0x9d8ad4d801c867b3),
    ("cbrt", 0x23e6a0eccee6ce96),
    ("logistic", 0xf979d80e4d8fbc4b),
    ("swish", 0x41ebef604723f102),
    ("softplus", 0x5cb8d5fe4b561041),
    ("gelu", 0x2b456f5529d6cf24),
    ("gelu_tanh", 0x7adff1ca21721880),
    ("erf", 0xd940158582df279d),
    ("power of 1.37", 0x66086fe760c497c9),
    ("power of -3", 0xa13619b0df74d65e),
    ("hypot", 0x4f540b265b32fbff),
    ("atan2", 0x147a2d25634c48e1),
    ("erfc", 0x039af1e4131e1350),
];
