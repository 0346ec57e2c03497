package import Foundation

/// The parameters of message compression, permessage-deflate (RFC 7692 §7).
package struct PerMessageDeflate: Sendable, Hashable {
  /// The parameters for the messages of one side.
  package struct Terms: Sendable, Hashable {
    /// Whether a message may refer to previous messages (§7.1.1).
    package var keepsContext = true
    /// The base-2 logarithm of the window size, 8 to 15 (§7.1.2); `nil` means the default of 15.
    package var windowBits: Int?

    /// Creates the default parameters.
    package init() {}
  }

  /// The registered name of the extension.
  package static let name = "permessage-deflate"

  /// The parameters for messages from the server.
  package var server = Terms()
  /// The parameters for messages from the client.
  package var client = Terms()

  /// Creates the default parameters.
  package init() {}

  /// Whether messages can be compressed, that is, whether zlib is available.
  package static var isSupported: Bool { ZLib.shared != nil }

  func terms(of role: WebSocketRole) -> Terms { role == .server ? server : client }

  /// Creates the parameters with which a server accepts an offer.
  ///
  /// Returns `nil` if the server has to decline the offer (§7.1): a parameter is unknown, repeated
  /// or has an invalid value.
  package init?(offer: WebSocketExtension) {
    guard offer.name.equalsIgnoringASCIICase(Self.name), Self.isSupported else { return nil }
    guard read(offer, isOffer: true) else { return nil }
    // The system's zlib supports no window of 256 bytes for data without a header.
    if server.windowBits == 8 { return nil }
  }

  /// Creates the parameters from a server's response.
  ///
  /// Returns `nil` if the client has to fail the connection, because none of its offers permits the
  /// response (§7.1).
  package init?(answer: WebSocketExtension, to offers: [WebSocketExtension]) {
    guard answer.name.equalsIgnoringASCIICase(Self.name), Self.isSupported,
      read(answer, isOffer: false), offers.contains(where: { [self] in admits($0) })
    else { return nil }
  }

  /// Whether a response with these parameters is valid for an offer.
  private func admits(_ offer: WebSocketExtension) -> Bool {
    var offered = PerMessageDeflate()
    guard offer.name.equalsIgnoringASCIICase(Self.name), offered.read(offer, isOffer: true) else {
      return false
    }
    // The server has to grant the client's demands on it (§7.1.1.1, §7.1.2.1).
    if !offered.server.keepsContext, server.keepsContext { return false }
    if let most = offered.server.windowBits {
      guard let bits = server.windowBits, bits <= most else { return false }
    }
    // The server may set `client_max_window_bits` only if the client offered it. The offered value
    // is a hint and does not bind the server (§7.1.2.2).
    return client.windowBits == nil
      || offer.parameters.contains { $0.name.equalsIgnoringASCIICase("client_max_window_bits") }
  }

  /// The field value with which a server accepts these parameters.
  package var answer: String {
    var words = [Self.name]
    if !server.keepsContext { words.append("server_no_context_takeover") }
    if !client.keepsContext { words.append("client_no_context_takeover") }
    if let bits = server.windowBits { words.append("server_max_window_bits=\(bits)") }
    if let bits = client.windowBits { words.append("client_max_window_bits=\(bits)") }
    return words.joined(separator: "; ")
  }

  private mutating func read(_ text: WebSocketExtension, isOffer: Bool) -> Bool {
    var seen: Set<String> = []
    for parameter in text.parameters {
      let name = parameter.name.lowercased()
      guard seen.insert(name).inserted else { return false }
      switch (name, parameter.value) {
      case ("server_no_context_takeover", nil): server.keepsContext = false
      case ("client_no_context_takeover", nil): client.keepsContext = false
      case ("server_max_window_bits", let value?):
        guard let bits = Self.bits(value) else { return false }
        server.windowBits = bits
      // An offer may contain this parameter without a value.
      case ("client_max_window_bits", nil) where isOffer: break
      case ("client_max_window_bits", let value?):
        guard let bits = Self.bits(value) else { return false }
        client.windowBits = bits
      default: return false
      }
    }
    return true
  }

  /// Parses a decimal number from 8 to 15 without leading zeros (§7.1.2.1).
  private static func bits(_ text: String) -> Int? {
    guard let bits = Int(text), 8...15 ~= bits, String(bits) == text else { return nil }
    return bits
  }
}

/// A decompressor for the messages of one side.
final class MessageInflater {
  /// The last four bytes of every compressed message, which are not sent (RFC 7692 §7.2.2).
  static let tail = Data([0x00, 0x00, 0xFF, 0xFF])

  private let stream: ZLibStream
  private let keepsContext: Bool

  /// Creates a decompressor; `nil` if zlib is missing.
  init?(_ terms: PerMessageDeflate.Terms) {
    guard let stream = ZLibStream(inflatingWithin: -15) else { return nil }
    (self.stream, keepsContext) = (stream, terms.keepsContext)
  }

  /// Decompresses a piece of a message and appends the result.
  func inflate(_ piece: Data, into message: inout Data, most: Int) throws(WebSocketFailure) {
    var isTooBig = false
    let isSound = stream.run(piece, flush: 0) { output in
      message.append(output)
      isTooBig = message.count > most
      return !isTooBig
    }
    if isTooBig {
      throw .tooBig("A message has more than the maximum of \(most) bytes when decompressed.")
    }
    guard isSound else { throw .invalidText("A message cannot be decompressed (RFC 7692 §7.2.2).") }
  }

  /// Ends a message after its last piece.
  func end(_ message: inout Data, most: Int) throws(WebSocketFailure) {
    try inflate(Self.tail, into: &message, most: most)
    // The next message would continue the last block.
    guard stream.isBetweenBlocks else {
      throw .invalidText("A message ends within a block of deflate (RFC 7692 §7.2.2).")
    }
    if !keepsContext { stream.reset() }
  }
}

/// A compressor for the messages of one side.
package final class MessageDeflater {
  private let stream: ZLibStream
  private let keepsContext: Bool

  /// Creates a compressor for the messages of one side; `nil` if zlib is missing.
  ///
  /// Also returns `nil` if the other side's window is smaller than any that zlib writes; the side
  /// then sends without compression.
  package init?(_ deflate: PerMessageDeflate, from role: WebSocketRole) {
    let terms = deflate.terms(of: role)
    let bits = terms.windowBits ?? 15
    guard bits > 8, let stream = ZLibStream(deflatingWithin: -bits) else { return nil }
    (self.stream, keepsContext) = (stream, terms.keepsContext)
  }

  /// Returns a compressed message (RFC 7692 §7.2.1); `nil` if it has 4 GiB or more.
  package func deflated(_ message: Data) -> Data? {
    // An empty uncompressed block without its tail (§7.2.3.6).
    guard !message.isEmpty else { return Data([0x00]) }
    var output = Data()
    // Z_SYNC_FLUSH ends at a byte boundary, with the tail.
    let isDone = stream.run(message, flush: 2) {
      output.append($0)
      return true
    }
    guard isDone, output.suffix(MessageInflater.tail.count) == MessageInflater.tail else {
      return nil
    }
    if !keepsContext { stream.reset() }
    return output.dropLast(MessageInflater.tail.count)
  }
}
