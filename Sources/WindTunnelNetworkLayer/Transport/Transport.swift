internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The third part of the layer: carries one request once.
public protocol Transport: Sendable {
  /// Sends a request and brings its answer, whatever the status. Returns at once when the task is
  /// cancelled, and never sends twice by itself.
  func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer
  /// The name in records of what will carry a request; by default the type's name.
  func engine(for request: URLRequest) -> String
}

extension Transport {
  /// The name of the type.
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

/// Chooses an engine for each request: for a comparison of two, or for tests.
public struct EngineRouter: Transport {
  private let engines: [String: any Transport]
  private let choose: @Sendable (URLRequest) -> String

  /// Knows engines by name, and chooses by a closure.
  public init(
    _ engines: [String: any Transport],
    choose: @escaping @Sendable (URLRequest) -> String
  ) {
    self.engines = engines
    self.choose = choose
  }

  /// Sends by the engine that is chosen.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    let name = choose(request)
    guard let engine = engines[name] else {
      let names = engines.keys.sorted().joined(separator: ", ")
      throw .failed(.unknown, text: "There is no engine \"\(name)\"; there are \(names).")
    }
    return try await engine.send(request)
  }

  /// The name of the engine that is chosen.
  public func engine(for request: URLRequest) -> String { choose(request) }
}

/// Answers by a closure: for tests and previews.
public struct ScriptedEngine: Transport {
  private let answer: @Sendable (URLRequest) async throws(TransportError) -> HTTPAnswer

  /// Answers by this closure.
  public init(
    _ answer: @escaping @Sendable (URLRequest) async throws(TransportError) -> HTTPAnswer
  ) {
    self.answer = answer
  }

  /// Answers by the closure.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    try await answer(request)
  }
}
