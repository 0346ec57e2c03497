internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The third part of the layer: it sends one request once.
public protocol Transport: Sendable {
  /// Sends a request and returns its answer, whatever the status. Returns at once when the task is
  /// cancelled, and never repeats the request.
  func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer
  /// Returns the name, for records, of the engine that will send a request; by default the type's
  /// name.
  func engine(for request: URLRequest) -> String
}

extension Transport {
  /// Returns the name of the type.
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

/// A transport that chooses an engine for each request: for a comparison of two, or for tests.
public struct EngineRouter: Transport {
  private let engines: [String: any Transport]
  private let choose: @Sendable (URLRequest) -> String

  /// Makes a router of engines by name, and of a closure that chooses.
  public init(
    _ engines: [String: any Transport],
    choose: @escaping @Sendable (URLRequest) -> String
  ) {
    self.engines = engines
    self.choose = choose
  }

  /// Sends a request by the engine of its choice.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    let name = choose(request)
    guard let engine = engines[name] else {
      let names = engines.keys.sorted().joined(separator: ", ")
      throw .failed(.unknown, text: "There is no engine \"\(name)\"; there are \(names).")
    }
    return try await engine.send(request)
  }

  /// Returns the name of the engine of choice.
  public func engine(for request: URLRequest) -> String { choose(request) }
}

/// A transport whose answers come from a closure: for tests and previews.
public struct ScriptedEngine: Transport {
  private let answer: @Sendable (URLRequest) async throws(TransportError) -> HTTPAnswer

  /// Makes an engine of a closure.
  public init(
    _ answer: @escaping @Sendable (URLRequest) async throws(TransportError) -> HTTPAnswer
  ) {
    self.answer = answer
  }

  /// Returns the closure's answer.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    try await answer(request)
  }
}
