/// A text's place in an index: two hashes of it, which take less room than the text.
///
/// 128 bits, so that of a million texts no two are taken for one another (one chance in 10²⁶). The
/// hashes are the process's own and never written.
package struct Fingerprint: Hashable, Sendable {
  private let first: Int
  private let second: Int

  package init(_ text: String) {
    var text = text
    (first, second) = text.withUTF8 { bytes in
      var (one, other) = (Hasher(), Hasher())
      one.combine(bytes: UnsafeRawBufferPointer(bytes))
      // Another beginning makes another hash.
      other.combine(UInt64(0x9E37_79B9_7F4A_7C15))
      other.combine(bytes: UnsafeRawBufferPointer(bytes))
      return (one.finalize(), other.finalize())
    }
  }

  /// What is a hash needs none.
  package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}
