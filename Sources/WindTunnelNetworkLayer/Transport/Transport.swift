public import Foundation
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The third part of the layer: carries one request once.
public protocol Transport: Sendable {
  /// Sends a request and brings its answer, whatever the status. Returns at once when the task is
  /// cancelled, and never sends twice by itself.
  func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer
  /// What records call that which will carry a request; by default the type's name.
  func engine(for request: URLRequest) -> String
}

extension Transport {
  /// The type's name.
  public func engine(for request: URLRequest) -> String { "\(Self.self)" }
}

/// A transport that gives up at a deadline by itself, without a task of its own to be cancelled.
protocol DeadlineKeeping: Transport {
  /// Sends a request and brings its answer; after the deadline it fails as cancelled.
  func send(
    _ request: URLRequest,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> HTTPAnswer
}

/// Why a request brought no answer.
public enum TransportError: Error, Sendable, Hashable {
  /// The caller gave up; no fault of the network.
  case cancelled
  /// The network failed: by name, and in the platform's own words.
  case failed(Symptom, text: String)
}

/// What a server said, whatever the status.
public struct HTTPAnswer: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields; from `URLSession` in order of their names, since it keeps no other.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// How long its stages took; `nil`: whoever carried it does not say.
  public var stages: StageTimings?

  /// Makes an answer of its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    stages: StageTimings? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.stages = stages
  }
}
