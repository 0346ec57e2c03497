/// The libraries that come with a system, and are no part of a release.
enum SystemLibraries {
  /// Tells whether a name that a program asks for is one of them: on Apple platforms by its place,
  /// on Linux by the name that its C library and its compiler's have.
  static func have(_ name: String) -> Bool {
    if name.hasPrefix("/usr/lib/") || name.hasPrefix("/System/") { return true }
    guard !name.contains("/") else { return false }
    return linux.contains { name == $0 || name.hasPrefix("\($0).so") || name.hasPrefix("\($0)-") }
  }

  private static let linux = [
    "libc", "libm", "libdl", "libpthread", "librt", "libresolv", "libutil", "libgcc_s", "libstdc++",
    "libatomic", "ld", "ld-linux", "linux-vdso", "libanl", "libcrypt", "libz", "liblog",
    "libandroid",
  ]
}
