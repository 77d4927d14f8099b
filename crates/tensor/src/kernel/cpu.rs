//! Which instructions the processor has.
//!
//! A default build is for any processor of its family, and would leave most of the machine's vector
//! unit idle. Hot functions are compiled a second time for the instructions that processors of the
//! last ten years have, and chosen when the program runs. Inside of such a copy everything has to be
//! inlined: what is called is compiled for the plain family again. `cargo xtask simd` counts.

/// The instruction sets that functions are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every processor of the family has.
    Plain,
    /// 256-bit vectors with fused multiplication, and conversion of halves.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The same with 512-bit vectors. Only loops with much arithmetic for each element are compiled
    /// for it; the others wait for memory.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The best level this processor has. The standard library remembers the answer.
#[inline]
pub(crate) fn level() -> Level {
    // Everything that the copies for AVX2 are compiled with: a virtual machine may hide one of them.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("f16c")
        && std::arch::is_x86_feature_detected!("bmi2")
    {
        let is_wide = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512cd")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl");
        return if is_wide { Level::Avx512 } else { Level::Avx2 };
    }
    Level::Plain
}
