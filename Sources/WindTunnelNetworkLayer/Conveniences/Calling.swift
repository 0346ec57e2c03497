/// The interface for calls of endpoints: a client, or a stand-in for one.
public protocol Calling: Sendable {
  /// Calls an endpoint and returns its answer.
  func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer
  /// Calls an endpoint and decodes its answer.
  func value<Value>(
    of endpoint: Endpoint,
    by decoder: AnswerDecoder<Value>
  ) async throws(NetworkError) -> Value
}

extension NetworkClient: Calling {}

extension Calling {
  /// Decodes the answer of ``call(_:)``, off the caller's actor.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: AnswerDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try decoder.decode(try await call(endpoint))
  }

  /// Calls several endpoints concurrently. The first failure cancels the others and is thrown.
  ///
  /// - Returns: The answers in the order of the endpoints.
  public func all(_ endpoints: [Endpoint]) async throws(NetworkError) -> [Answer] {
    let end = await withTaskGroup(of: (Int, Result<Answer, NetworkError>).self) { group in
      for (place, endpoint) in endpoints.enumerated() {
        group.addTask { (place, await result(of: endpoint)) }
      }
      var answers: [Int: Answer] = [:]
      for await (place, result) in group {
        switch result {
        case .success(let answer): answers[place] = answer
        case .failure(let error):
          group.cancelAll()
          return Result<[Answer], NetworkError>.failure(error)
        }
      }
      return .success(endpoints.indices.compactMap { answers[$0] })
    }
    return try end.get()
  }

  /// Calls several endpoints concurrently and returns the results in their order.
  public func results(of endpoints: [Endpoint]) async -> [Result<Answer, NetworkError>] {
    await withTaskGroup(of: (Int, Result<Answer, NetworkError>).self) { group in
      for (place, endpoint) in endpoints.enumerated() {
        group.addTask { (place, await result(of: endpoint)) }
      }
      let ends = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return endpoints.indices.compactMap { ends[$0] }
    }
  }

  private func result(of endpoint: Endpoint) async -> Result<Answer, NetworkError> {
    do throws(NetworkError) { return .success(try await call(endpoint)) } catch {
      return .failure(error)
    }
  }
}

/// A client whose answers come from a closure: for previews, and for tests of code that uses a
/// client.
///
/// ```swift
/// let preview = ClosureClient { _ throws(NetworkError) in
///   Answer(status: 200, body: Data(#"{"id":7,"name":"Ada"}"#.utf8))
/// }
/// ```
public struct ClosureClient: Calling {
  private let answer: @Sendable (Endpoint) async throws(NetworkError) -> Answer

  /// Makes a client of a closure.
  public init(_ answer: @escaping @Sendable (Endpoint) async throws(NetworkError) -> Answer) {
    self.answer = answer
  }

  /// Returns the closure's answer.
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer {
    try await answer(endpoint)
  }
}
