internal import Foundation
public import WindTunnelSymptoms

/// A kind of fault under the name that it has in a list, with one example of it.
public struct FaultKind: Sendable, Hashable {
  /// The part of the stack that a fault happens in.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The address of the name.
    case dns
    /// The connection of the two ends.
    case tcp
    /// The handshake and what protects the connection.
    case tls
    /// The message and its form.
    case http
  }

  /// The name, such as `reset-in-headers`; no other kind has it.
  public var name: String
  /// The layer that it happens in.
  public var layer: Layer
  /// One of its kind.
  public var fault: Fault

  /// Makes a kind of fault.
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

/// The views that clients have of a fault, by name: a look at the real thing is held against them.
///
/// The columns for Linux and curl were measured with swift-corelibs-foundation 6.3.1 on libcurl
/// 7.88.1 and OpenSSL 3.0; later versions of libcurl report some faults by other codes, which stand
/// beside. That for Apple is what its documentation and users report, and was not measured.
public struct FaultExpectation: Sendable, Hashable {
  /// The view that a `URLSession` has of it.
  public enum Sight: Sendable, Hashable {
    /// An answer of this status.
    case answer(Int)
    /// An answer, whatever its status.
    case someAnswer
    /// An error of this name.
    case failure(Symptom)
    /// The client's process ends.
    case crash
  }

  /// The ground on which a client's view is known.
  public enum Evidence: String, Sendable, Hashable, CaseIterable {
    /// By having looked at clients.
    case measured
    /// By what is said about it.
    case known
  }

  /// The view of `URLSession` on Apple platforms.
  public var apple: Sight
  /// The view of `URLSession` on Linux.
  public var linux: Sight
  /// The exit codes of `curl -L --compressed`, the measured one first.
  public var curl: [Int]
  /// The ground of the column for Apple.
  public var appleEvidence = Evidence.known
  /// The ground of the columns for Linux and curl.
  public var evidence = Evidence.measured

  /// Makes an expectation of the clients' views.
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
  /// `200`, `answer`, `timedOut` or `crash`.
  public var text: String {
    switch self {
    case .answer(let status): String(status)
    case .someAnswer: "answer"
    case .failure(let symptom): symptom.rawValue
    case .crash: "crash"
    }
  }

  /// Tells whether what was seen is this.
  public func allows(_ other: FaultExpectation.Sight) -> Bool {
    if case (.someAnswer, .answer) = (self, other) { return true }
    return self == other
  }
}

extension FaultExpectation {
  /// The code of the `URLError` that a `URLSession` on Linux ends with; `nil` where it ends with
  /// none.
  ///
  /// Told by curl's code: swift-corelibs-foundation knows few of them, and makes -1
  /// (`URLError.unknown`) of all others.
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

  /// The code of the `URLError` that a `URLSession` of Apple's ends with; `nil` where it ends with
  /// none.
  public var appleCode: Int? {
    guard case .failure(let symptom) = apple else { return nil }
    return symptom.appleCode.rawValue
  }
}
