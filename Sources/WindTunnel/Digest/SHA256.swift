/// SHA-256 (FIPS 180-4); no system library has it on every platform.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  private var pending: [UInt8] = []
  private var count: UInt64 = 0

  /// Starts with no bytes.
  public init() { pending.reserveCapacity(64) }

  /// Takes bytes in.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    let handled: Void? = bytes.withContiguousStorageIfAvailable { absorb($0) }
    if handled == nil { ContiguousArray(bytes).withUnsafeBufferPointer { absorb($0) } }
  }

  private mutating func absorb(_ bytes: UnsafeBufferPointer<UInt8>) {
    count += UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = min(64 - pending.count, rest.count)
      pending.append(contentsOf: rest.prefix(missing))
      rest = rest.dropFirst(missing)
      guard pending.count == 64 else { return }
      pending.withUnsafeBufferPointer { Self.compress(&state, $0[...]) }
      pending.removeAll(keepingCapacity: true)
    }
    while rest.count >= 64 {
      Self.compress(&state, rest.prefix(64))
      rest = rest.dropFirst(64)
    }
    pending.append(contentsOf: rest)
  }

  /// The 32 bytes of the digest.
  public consuming func finalize() -> [UInt8] {
    let bits = count &* 8
    var padding: [UInt8] = [0x80]
    while (pending.count + padding.count) % 64 != 56 { padding.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    update(padding)
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  /// The digest of bytes in one go.
  public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finalize()
  }

  /// The digest of bytes as 64 hexadecimal digits.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // FIPS 180-4 §4.2.2.
  private static let constants: [UInt32] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ]

  /// FIPS 180-4 §6.2.2.
  private static func compress(_ state: inout [UInt32], _ block: Slice<UnsafeBufferPointer<UInt8>>)
  {
    func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 {
      value >> count | value << (32 - count)
    }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      let start = block.startIndex
      for index in 0..<16 {
        let base = start + index * 4
        schedule[index] =
          UInt32(block[base]) << 24 | UInt32(block[base + 1]) << 16 | UInt32(block[base + 2]) << 8
          | UInt32(block[base + 3])
      }
      for index in 16..<64 {
        let early = schedule[index - 15]
        let late = schedule[index - 2]
        let small = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
        let large = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
        schedule[index] = schedule[index - 16] &+ small &+ schedule[index - 7] &+ large
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for index in 0..<64 {
        let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let chosen = (e & f) ^ (~e & g)
        let first = h &+ mixed &+ chosen &+ constants[index] &+ schedule[index]
        let majority = (a & b) ^ (a & c) ^ (b & c)
        let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
  }
}
