internal import WindTunnel

/// What a head's fields say about framing and persistence, gathered while they come in so that
/// nobody has to search for them.
struct FramingFacts {
  private(set) var hostCount = 0
  private(set) var contentLength: Int?
  /// How many lengths there are, equal or not.
  private(set) var lengthCount = 0
  /// The transfer codings in order, `chunked` in lower case; `nil` where the field is absent.
  private(set) var transferCodings: [String]?
  private(set) var saysClose = false
  private(set) var saysKeepAlive = false
  private(set) var expectsContinue = false

  /// Whether a field's value must be known when its line is read.
  static func decides(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "connection", "host", "expect"].contains {
      name.equalsIgnoringASCIICase($0)
    }
  }

  mutating func note(_ name: Bytes, _ value: Bytes) throws(ProtocolError) {
    // The length rules most names out before a byte is compared.
    switch name.count {
    case 4 where name.equalsLowercase("host"):
      hostCount += 1
      guard value.isHostField else {
        throw .bad("Host is no host with or without a port: \(value.quoted) (RFC 9110 §7.2).")
      }
    case 6 where name.equalsLowercase("expect"):
      // RFC 9110 §10.1.1: there is one expectation.
      guard value.equalsLowercase("100-continue") else {
        throw ProtocolError(
          .expectationFailed,
          "The only expectation that can be met is 100-continue, not \(value.quoted)."
        )
      }
      expectsContinue = true
    case 10 where name.equalsLowercase("connection"):
      Self.elements(of: value) {
        if $0.equalsLowercase("close") { saysClose = true }
        if $0.equalsLowercase("keep-alive") { saysKeepAlive = true }
      }
    case 14 where name.equalsLowercase("content-length"):
      try noteLength(value)
    case 17 where name.equalsLowercase("transfer-encoding"):
      var codings = transferCodings ?? []
      // Compared as bytes: Unicode would lower the Kelvin sign to a “k”.
      Self.elements(of: value) {
        codings.append($0.equalsLowercase("chunked") ? "chunked" : $0.quoted)
      }
      transferCodings = codings
    default:
      break
    }
  }

  /// RFC 9112 §6.3 rule 5: a list of equal lengths may be taken for one, as it is in an answer;
  /// anything else may not.
  private mutating func noteLength(_ value: Bytes) throws(ProtocolError) {
    var found = 0
    var fault: ProtocolError?
    var length = contentLength
    Self.elements(of: value) { element in
      found += 1
      guard let number = element.decimal else {
        fault = .bad("Content-Length is no number: \(value.quoted) (RFC 9110 §8.6).")
        return
      }
      if let length, length != number {
        fault = .bad("Content-Length says \(length) and \(number) (RFC 9112 §6.3).")
      }
      length = number
    }
    if let fault { throw fault }
    guard found > 0 else { throw .bad("Content-Length is empty (RFC 9110 §8.6).") }
    contentLength = length
    lengthCount += found
  }

  /// RFC 9112 §9.3.
  func keepsAlive(_ version: HTTPVersion) -> Bool {
    !saysClose && (version == .http11 || saysKeepAlive)
  }

  /// The elements of a comma-separated list; empty ones do not count (RFC 9110 §5.6.1).
  private static func elements(of value: Bytes, _ body: (Bytes) -> Void) {
    var start = 0
    for end in 0...value.count where end == value.count || value[end] == 0x2C {
      let element = value.part(start..<end).trimmed
      if !element.isEmpty { body(element) }
      start = end + 1
    }
  }
}
