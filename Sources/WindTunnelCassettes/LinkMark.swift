// The mark of this module in every program that links it; the last number is the module's alone.
// `check-release` looks for it: it stands in a section of its own, which `strip`, dead stripping and
// `--gc-sections` leave as it is.
#if objectFormat(ELF)
  @section("wt_modules")
#elseif objectFormat(MachO)
  @section("__DATA_CONST,__wt_modules")
#endif
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 2)
