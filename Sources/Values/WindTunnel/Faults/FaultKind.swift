internal import Foundation
public import WindTunnelSymptoms

/// A kind of fault with its name in lists and one example of it.
public struct FaultKind: Sendable, Hashable {
  /// The layer of the network stack that a fault belongs to.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The look-up of host names.
    case dns
    /// The connection between the two ends.
    case tcp
    /// The handshake and the protection of the connection.
    case tls
    /// The messages and their form.
    case http
  }

  /// The name, such as `reset-in-headers`; no other kind has it.
  public var name: String
  /// The layer that the fault belongs to.
  public var layer: Layer
  /// An example of the kind.
  public var fault: Fault

  /// Makes a kind of fault.
  public init(_ name: String, _ layer: Layer, _ fault: Fault) {
    (self.name, self.layer, self.fault) = (name, layer, fault)
  }

  /// Every kind of fault, by layer and then in the order of the messages that it breaks. Later
  /// kinds follow, since a search tries kinds in this order.
  public static let all =
    ConnectionFault.kinds + Fault.cutKinds + IdleEnd.kinds + Fault.paceKinds + RetryAfter.kinds
    + ReplacementResponse.kinds + ResponseEdit.kinds + Mutation.kinds + Malformation.kinds
    + ConversationFault.kinds + Mutation.emptyingKinds
    + [ResponseEdit.otherBodyKind, Mutation.valuesKind]

  /// The effects of the fault on clients.
  public var expected: FaultExpectation { fault.expected }

  /// Returns the kind of fault with this name.
  public static func named(_ name: String) -> FaultKind? { all.first { $0.name == name } }

  /// Spells `lengthTooLong` as `length-too-long`.
  package static func dashed(_ name: String) -> String {
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

/// The effects of a fault on clients, by client: real ones are compared with them.
///
/// The columns for Linux and curl were measured with swift-corelibs-foundation 6.3.1 on libcurl
/// 7.88.1 and OpenSSL 3.0; later versions of libcurl report some faults by other codes, which stand
/// beside. That for Apple is what its documentation and users report, and was not measured.
public struct FaultExpectation: Sendable, Hashable {
  /// The result that a `URLSession` reports for a fault.
  public enum Sight: Sendable, Hashable {
    /// An answer with this status.
    case answer(Int)
    /// An answer with any status.
    case someAnswer
    /// An error with this symptom.
    case failure(Symptom)
    /// The client's process ends.
    case crash
  }

  /// The evidence for an expected result.
  public enum Evidence: String, Sendable, Hashable, CaseIterable {
    /// Real clients were measured.
    case measured
    /// Documentation or reports say so.
    case known
  }

  /// The result of `URLSession` on Apple platforms.
  public var apple: Sight
  /// The result of `URLSession` on Linux.
  public var linux: Sight
  /// The exit codes of `curl -L --compressed`, the measured one first.
  public var curl: [Int]
  /// The evidence for the result on Apple platforms.
  public var appleEvidence = Evidence.known
  /// The evidence for the results of Linux and curl.
  public var evidence = Evidence.measured

  /// Makes an expectation of the clients' results.
  public init(apple: Sight, linux: Sight, curl: [Int]) {
    (self.apple, self.linux, self.curl) = (apple, linux, curl)
  }

  package init(_ status: Int, curl: [Int] = [0]) {
    self.init(apple: .answer(status), linux: .answer(status), curl: curl)
  }

  package init(_ linux: Symptom, apple: Symptom, _ curl: Int...) {
    self.init(apple: .failure(apple), linux: .failure(linux), curl: curl)
  }
}

extension FaultExpectation.Sight {
  /// The result as text: `200`, `answer`, `timedOut` or `crash`.
  public var text: String {
    switch self {
    case .answer(let status): String(status)
    case .someAnswer: "answer"
    case .failure(let symptom): symptom.rawValue
    case .crash: "crash"
    }
  }

  /// Tells whether an observed result is the expected one.
  public func allows(_ other: FaultExpectation.Sight) -> Bool {
    if case (.someAnswer, .answer) = (self, other) { return true }
    return self == other
  }
}

extension FaultExpectation {
  /// The code of the `URLError` that a `URLSession` on Linux ends with; `nil` where it ends without
  /// an error.
  ///
  /// Derived from curl's code: swift-corelibs-foundation maps few of them, and all others to -1
  /// (`URLError.unknown`).
  public var linuxCode: Int? {
    guard case .failure(let symptom) = linux else { return nil }
    return switch curl.first {
    case 1: -1002
    case 6: -1003
    // It asks for ECONNREFUSED; that there is no way to the address is nothing it knows.
    case 7: symptom == .connectionRefused ? -1004 : -1
    case 28: -1001
    case 47: -1007
    case 52: -1011
    case 56: symptom == .connectionLost ? -1005 : -1
    default: -1
    }
  }

  /// The code of the `URLError` that Apple's `URLSession` ends with; `nil` where it ends without an
  /// error.
  public var appleCode: Int? {
    guard case .failure(let symptom) = apple else { return nil }
    return symptom.appleCode.rawValue
  }
}
