internal import Foundation
public import WindTunnel

/// An entry of a script: a pattern of questions, and the response to them.
public struct DNSEntry: Sendable, Hashable {
  /// A name, `*.example.com` for every name below one, or `*` for all names.
  public var name: String
  /// The type of the questions; `nil` means any.
  public var type: DNSType?
  /// The selection of the questions for a name.
  public var turn: Turn
  /// The addresses for the response; only addresses of the requested type are sent.
  public var addresses: [DNSAddress]
  /// The response's time to live in seconds.
  public var seconds: UInt32
  /// The fault of the response; `nil` if there is none.
  public var fault: DNSFault?
  /// The delay of the response; `nil` if there is none.
  public var delay: Fault.Spread?
  /// The members of the file whose names begin with `_`, unchanged.
  public var notes: [JSON.Member] = []

  /// Creates an entry of a script.
  public init(
    _ name: String,
    type: DNSType? = nil,
    turn: Turn = Turn(),
    addresses: [DNSAddress] = [],
    seconds: UInt32 = 0,
    fault: DNSFault? = nil,
    delay: Fault.Spread? = nil
  ) {
    (self.name, self.type, self.turn) = (name.lowercased(), type, turn)
    (self.addresses, self.seconds, self.fault, self.delay) = (addresses, seconds, fault, delay)
  }

  /// Creates an entry of a script with a fixed delay of the response.
  public init(
    _ name: String,
    type: DNSType? = nil,
    turn: Turn = Turn(),
    addresses: [DNSAddress] = [],
    seconds: UInt32 = 0,
    fault: DNSFault? = nil,
    delay: Duration
  ) {
    self.init(
      name,
      type: type,
      turn: turn,
      addresses: addresses,
      seconds: seconds,
      fault: fault,
      delay: .exactly(delay)
    )
  }

  /// A selection of questions for a name and type, counted from 1. All given conditions must hold,
  /// as in a rule of a scenario.
  public struct Turn: Sendable, Hashable {
    /// The number of first questions that match; `nil` means all.
    public var first: Int?
    /// The ordinal of the only matching question, from 1; `nil` means any.
    public var attempt: Int?
    /// The divisor of the ordinals of matching questions; `nil` means any ordinal.
    public var every: Int?
    /// The share of matching questions, from 0 to 1, by a seeded draw; `nil` means all.
    public var probability: Double?

    /// Creates a selection; without conditions, it matches every question.
    public init(
      first: Int? = nil,
      attempt: Int? = nil,
      every: Int? = nil,
      probability: Double? = nil
    ) {
      (self.first, self.attempt, self.every) = (first, attempt, every)
      self.probability = probability
    }

    func comes(_ ordinal: Int, _ draws: @autoclosure () -> Draws) -> Bool {
      if let first, ordinal > first { return false }
      if let attempt, ordinal != attempt { return false }
      if let every, !ordinal.isMultiple(of: every) { return false }
      return probability.map { draws().unit(0) < $0 } ?? true
    }
  }

  /// Whether the entry is for a name, which must be in lower case and without a final dot.
  func isAbout(_ name: String, _ type: UInt16) -> Bool {
    if let own = self.type, own.rawValue != type { return false }
    if self.name == "*" { return true }
    guard self.name.hasPrefix("*.") else { return self.name == name }
    return name.hasSuffix(self.name.dropFirst()) && name.count > self.name.count - 1
  }

  /// The identity of the entry in random draws, independent of its position: its name, type and
  /// turn.
  var identity: String { "\(name) \(type?.name ?? "*") \(turn.json)" }
}

/// An IPv4 or IPv6 address.
public struct DNSAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address's four or sixteen bytes.
  public let bytes: [UInt8]

  /// Parses a literal: four numbers with dots, or the forms of RFC 4291 §2.2 without an IPv4
  /// address at the end; `nil` for any other text.
  public init?(_ text: String) {
    let isSpelled = text.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    guard isSpelled, !text.contains(":") || !text.contains("."),
      let address = SocketAddress(text, port: 0)
    else { return nil }
    bytes = address.addressBytes
  }

  /// The type of record for the address.
  public var type: DNSType { bytes.count == 4 ? .a : .aaaa }

  /// The address as a literal; an IPv6 address in eight groups.
  public var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
      .joined(separator: ":")
  }
}
