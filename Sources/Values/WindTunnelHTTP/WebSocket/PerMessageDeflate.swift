package import Foundation

/// The terms of the compression of messages, permessage-deflate (RFC 7692 §7).
package struct PerMessageDeflate: Sendable, Hashable {
  /// The terms of what one side sends.
  package struct Terms: Sendable, Hashable {
    /// Tells whether a message may refer to the ones before it (§7.1.1).
    package var keepsContext = true
    /// The base-2 logarithm of how far back it may refer, 8 to 15, where that is said (§7.1.2);
    /// `nil`: 15.
    package var windowBits: Int?

    /// Makes the terms that hold where nothing is said.
    package init() {}
  }

  /// The name of the extension, as it is registered.
  package static let name = "permessage-deflate"

  /// The terms of what the server sends.
  package var server = Terms()
  /// The terms of what the client sends.
  package var client = Terms()

  /// Makes the terms that hold where nothing is said.
  package init() {}

  /// Tells whether messages can be compressed here: where there is a zlib.
  package static var isSupported: Bool { ZLib.shared != nil }

  func terms(of role: WebSocketRole) -> Terms { role == .server ? server : client }

  /// Makes the terms on which a server takes an offer; `nil` where it has to decline it (§7.1): a
  /// parameter is unknown, comes twice, or has a value that it must not have.
  package init?(offer: WebSocketExtension) {
    guard offer.name.equalsIgnoringASCIICase(Self.name), Self.isSupported else { return nil }
    guard read(offer, isOffer: true) else { return nil }
    // The system's zlib writes no window of 256 bytes without a header.
    if server.windowBits == 8 { return nil }
  }

  /// Makes the terms that a server's answer says; `nil` where a client has to fail the connection:
  /// no offer of its own admits them (§7.1).
  package init?(answer: WebSocketExtension, to offers: [WebSocketExtension]) {
    guard answer.name.equalsIgnoringASCIICase(Self.name), Self.isSupported,
      read(answer, isOffer: false), offers.contains(where: { [self] in admits($0) })
    else { return nil }
  }

  /// Tells whether an offer can be answered with these terms.
  private func admits(_ offer: WebSocketExtension) -> Bool {
    var offered = PerMessageDeflate()
    guard offer.name.equalsIgnoringASCIICase(Self.name), offered.read(offer, isOffer: true) else {
      return false
    }
    // What a client asks of the server has to be granted (§7.1.1.1, §7.1.2.1).
    if !offered.server.keepsContext, server.keepsContext { return false }
    if let most = offered.server.windowBits {
      guard let bits = server.windowBits, bits <= most else { return false }
    }
    // Nobody tells it how to send that has not said that it understands that; a value of the offer
    // is a hint, which binds no server (§7.1.2.2).
    return client.windowBits == nil
      || offer.parameters.contains { $0.name.equalsIgnoringASCIICase("client_max_window_bits") }
  }

  /// The value with which a server takes them.
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
      // An offer may only say that it understands the word.
      case ("client_max_window_bits", nil) where isOffer: break
      case ("client_max_window_bits", let value?):
        guard let bits = Self.bits(value) else { return false }
        client.windowBits = bits
      default: return false
      }
    }
    return true
  }

  /// A decimal number of 8 to 15 without leading zeros (§7.1.2.1).
  private static func bits(_ text: String) -> Int? {
    guard let bits = Int(text), 8...15 ~= bits, String(bits) == text else { return nil }
    return bits
  }
}

/// The decompression of one side's messages.
final class MessageInflater {
  /// The four bytes that every compressed message ends with, and that are not sent (RFC 7692
  /// §7.2.2).
  static let tail = Data([0x00, 0x00, 0xFF, 0xFF])

  private let stream: ZLibStream
  private let keepsContext: Bool

  /// Makes one; `nil` where there is no zlib.
  init?(_ terms: PerMessageDeflate.Terms) {
    guard let stream = ZLibStream(inflatingWithin: -15) else { return nil }
    (self.stream, keepsContext) = (stream, terms.keepsContext)
  }

  /// Adds what a piece of a message stands for.
  func inflate(_ piece: Data, into message: inout Data, most: Int) throws(WebSocketFailure) {
    var isTooBig = false
    let isSound = stream.run(piece, flush: 0) { output in
      message.append(output)
      isTooBig = message.count > most
      return !isTooBig
    }
    if isTooBig {
      throw .tooBig("A message has more than \(most) bytes when it is opened: the limit here.")
    }
    guard isSound else { throw .invalidText("A message cannot be decompressed (RFC 7692 §7.2.2).") }
  }

  /// Ends a message, whose last piece has come.
  func end(_ message: inout Data, most: Int) throws(WebSocketFailure) {
    try inflate(Self.tail, into: &message, most: most)
    // The next one would go on within its last block.
    guard stream.isBetweenBlocks else {
      throw .invalidText("A message breaks off within a block of deflate (RFC 7692 §7.2.2).")
    }
    if !keepsContext { stream.reset() }
  }
}

/// The compression of one side's messages.
package final class MessageDeflater {
  private let stream: ZLibStream
  private let keepsContext: Bool

  /// Makes one for what a side sends; `nil` where there is no zlib, or where the other side's
  /// window is smaller than any that it writes: such a side sends without compression.
  package init?(_ deflate: PerMessageDeflate, from role: WebSocketRole) {
    let terms = deflate.terms(of: role)
    let bits = terms.windowBits ?? 15
    guard bits > 8, let stream = ZLibStream(deflatingWithin: -bits) else { return nil }
    (self.stream, keepsContext) = (stream, terms.keepsContext)
  }

  /// Returns a message as it is sent (RFC 7692 §7.2.1); `nil` where it has 4 GiB.
  package func deflated(_ message: Data) -> Data? {
    // An empty block that is not compressed, without its tail (§7.2.3.6).
    guard !message.isEmpty else { return Data([0x00]) }
    var output = Data()
    // Z_SYNC_FLUSH ends at a byte, with the tail.
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
