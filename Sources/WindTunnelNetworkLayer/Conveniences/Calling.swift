/// The interface of what can be asked for an endpoint: a client, or a stand-in for one.
public protocol Calling: Sendable {
  /// Asks for an endpoint.
  func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer
  /// Asks for an endpoint and makes a value of what comes.
  func value<Value>(
    of endpoint: Endpoint,
    by decoder: AnswerDecoder<Value>
  ) async throws(NetworkError) -> Value
}

extension NetworkClient: Calling {}

extension Calling {
  /// Decodes what ``call(_:)`` brings, off the caller's actor.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: AnswerDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try decoder.decode(try await call(endpoint))
  }

  /// Asks for several endpoints at once. The first failure cancels the others and is thrown.
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

  /// Asks for several endpoints at once and brings how each went, in their order.
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

/// Answers by a closure: for previews, and for tests of what stands on a client.
public struct ClosureClient: Calling {
  private let answer: @Sendable (Endpoint) async throws(NetworkError) -> Answer

  /// Answers by this closure.
  public init(_ answer: @escaping @Sendable (Endpoint) async throws(NetworkError) -> Answer) {
    self.answer = answer
  }

  /// Answers by the closure.
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer {
    try await answer(endpoint)
  }
}
