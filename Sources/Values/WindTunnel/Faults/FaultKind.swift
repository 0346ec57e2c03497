internal import Foundation
public import WindTunnelSymptoms

/// A kind of fault with its name in lists and an example.
public struct FaultKind: Sendable, Hashable {
  /// The layer of the network stack to which a fault belongs.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The resolution of host names.
    case dns
    /// The connection between client and server.
    case tcp
    /// The handshake and the encryption of the connection.
    case tls
    /// The messages and their syntax.
    case http
  }

  /// The name, such as `reset-in-headers`, which is unique.
  public var name: String
  /// The layer to which the fault belongs.
  public var layer: Layer
  /// An example of the kind.
  public var fault: Fault

  /// Creates a kind of fault.
  public init(_ name: String, _ layer: Layer, _ fault: Fault) {
    (self.name, self.layer, self.fault) = (name, layer, fault)
  }

  /// Every kind of fault, by layer and then in the order of the messages that it breaks.
  ///
  /// Kinds that were added later are at the end, because a search tries kinds in this order.
  public static let all =
    ConnectionFault.kinds + Fault.cutKinds + IdleEnd.kinds + Fault.paceKinds + RetryAfter.kinds
    + ReplacementResponse.kinds + ResponseEdit.kinds + Mutation.kinds + Malformation.kinds
    + ConversationFault.kinds + Mutation.emptyingKinds
    + [ResponseEdit.otherBodyKind, Mutation.valuesKind]

  /// The results of the fault in clients.
  public var expected: FaultExpectation { fault.expected }

  /// Returns the kind of fault with this name; `nil` if there is none.
  public static func named(_ name: String) -> FaultKind? { all.first { $0.name == name } }

  /// Converts `lengthTooLong` to `length-too-long`.
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

/// The results of a fault in clients, by client; tests compare real clients with them.
///
/// The results for Linux and curl were measured with swift-corelibs-foundation 6.3.1 on libcurl
/// 7.88.1 and OpenSSL 3.0. Later versions of libcurl report some faults by other codes, which are
/// listed as well. The results for Apple follow its documentation and users' reports, and were not
/// measured.
public struct FaultExpectation: Sendable, Hashable {
  /// The result that a `URLSession` reports for a fault.
  public enum Sight: Sendable, Hashable {
    /// A response with this status.
    case answer(Int)
    /// A response with any status.
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
    /// Documentation or reports describe the result.
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

  /// Creates an expectation from the clients' results.
  public init(apple: Sight, linux: Sight, curl: [Int]) {
    (self.apple, self.linux, self.curl) = (apple, linux, curl)
  }

  package init(_ status: Int, curl: [Int] = [0]) {
    self.init(apple: .answer(status), linux: .answer(status), curl: curl)
  }

  package init(_ linux: Symptom, apple: Symptom, _ curl: Int...) {
    self.init(apple: .failure(apple), linux: .failure(linux), curl: curl)
  }

  /// The code of the `URLError` of a `URLSession` on Linux; `nil` if it ends without an error.
  ///
  /// Derived from curl's code: swift-corelibs-foundation maps few of them, and all others to -1
  /// (`URLError.unknown`).
  public var linuxCode: Int? {
    guard case .failure(let symptom) = linux else { return nil }
    return switch curl.first {
    case 1: -1002
    case 6: -1003
    // It only knows ECONNREFUSED; an unreachable network has no code of its own.
    case 7: symptom == .connectionRefused ? -1004 : -1
    case 28: -1001
    case 47: -1007
    case 52: -1011
    case 56: symptom == .connectionLost ? -1005 : -1
    default: -1
    }
  }

  /// The code of the `URLError` of Apple's `URLSession`; `nil` if it ends without an error.
  public var appleCode: Int? {
    guard case .failure(let symptom) = apple else { return nil }
    return symptom.appleCode.rawValue
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

  /// Returns whether an observed result is the expected one.
  public func allows(_ other: FaultExpectation.Sight) -> Bool {
    if case (.someAnswer, .answer) = (self, other) { return true }
    return self == other
  }
}
