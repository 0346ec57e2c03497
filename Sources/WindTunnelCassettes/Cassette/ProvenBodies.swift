internal import Foundation

/// The side files' bodies that were hashed last, so that a process hashes each once, however many tests
/// open its cassette.
///
/// A file that is read again is compared with the bytes that were hashed, which no time stamp could
/// vouch for, and which costs next to nothing. Whoever opens it again shares their memory.
struct ProvenBodies: Sendable {
  /// The bodies that the whole process shares.
  static let shared = Locked(ProvenBodies())

  /// The largest number of bytes of them that are kept, beyond what cassettes hold.
  static let bytesMax = 64 << 20

  private var bodies: [String: Data] = [:]
  /// Their names, the one that was proven first in front.
  private var names: [String] = []
  private var bytes = 0

  /// Proves that bytes are those that a name promises.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file as it is now.
  ///   - name: A SHA-256 in small letters.
  ///   - digest: What takes it of bytes that were not proven before.
  /// - Returns: The bytes, or `nil` where they are others.
  mutating func prove(
    _ data: Data,
    as name: String,
    by digest: (Data) -> String = { SHA256.hexadecimal($0) }
  ) -> Data? {
    if let known = bodies[name] { return known == data ? known : nil }
    guard digest(data) == name else { return nil }
    keep(data, of: name)
    return data
  }

  private mutating func keep(_ data: Data, of name: String) {
    guard data.count <= Self.bytesMax else { return }
    bodies[name] = data
    names.append(name)
    bytes += data.count
    while bytes > Self.bytesMax, let body = bodies.removeValue(forKey: names.removeFirst()) {
      bytes -= body.count
    }
  }
}
