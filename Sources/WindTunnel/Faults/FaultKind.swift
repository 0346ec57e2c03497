/// A kind of fault under the name that it has in a list, with one example of it.
public struct FaultKind: Sendable, Hashable {
  /// The part of the stack that a fault happens in.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The name's address.
    case dns
    /// The connection.
    case tcp
    /// The handshake and what protects the connection.
    case tls
    /// The message.
    case http
  }

  /// The name, such as `reset-in-headers`; no other kind has it.
  public var name: String
  /// The layer that it happens in.
  public var layer: Layer
  /// One of its kind.
  public var fault: Fault

  /// Makes a kind.
  public init(_ name: String, _ layer: Layer, _ fault: Fault) {
    (self.name, self.layer, self.fault) = (name, layer, fault)
  }

  /// Every kind there is, by layer and then in the order of the messages that they break.
  public static let all =
    ConnectionFault.kinds + Fault.cutKinds + IdleEnd.kinds + Fault.paceKinds + RetryAfter.kinds
    + ReplacementResponse.kinds + ResponseEdit.kinds + Mutation.kinds + Malformation.kinds

  /// The client's view of it, by client.
  public var expected: FaultExpectation { fault.expected }

  /// The kind of a name.
  public static func named(_ name: String) -> FaultKind? { all.first { $0.name == name } }

  /// `lengthTooLong` is `length-too-long`.
  static func dashed(_ name: String) -> String {
    var text = ""
    var last: Character = "-"
    for character in name {
      if character.isUppercase, !last.isUppercase, last != "-" { text.append("-") }
      text.append(contentsOf: character.lowercased())
      last = character
    }
    return text
  }
}
