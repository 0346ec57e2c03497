/// The interface for calling endpoints: a client, or a replacement for one.
public protocol Calling: Sendable {
  /// Calls an endpoint and returns its response.
  func call(_ endpoint: Endpoint) async throws(NetworkError) -> CallResponse
  /// Calls an endpoint and decodes its response.
  func value<Value>(
    of endpoint: Endpoint,
    by decoder: ResponseDecoder<Value>
  ) async throws(NetworkError) -> Value
}

extension NetworkClient: Calling {}

extension Calling {
  /// Decodes the response of ``call(_:)``, off the caller's actor.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: ResponseDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try decoder.decode(try await call(endpoint))
  }

  /// Calls several endpoints concurrently. The first failure cancels the others and is thrown.
  ///
  /// - Returns: The responses in the order of the endpoints.
  public func all(_ endpoints: [Endpoint]) async throws(NetworkError) -> [CallResponse] {
    let end = await withTaskGroup(of: (Int, Result<CallResponse, NetworkError>).self) { group in
      for (place, endpoint) in endpoints.enumerated() {
        group.addTask { (place, await result(of: endpoint)) }
      }
      var answers: [Int: CallResponse] = [:]
      for await (place, result) in group {
        switch result {
        case .success(let answer): answers[place] = answer
        case .failure(let error):
          group.cancelAll()
          return Result<[CallResponse], NetworkError>.failure(error)
        }
      }
      return .success(endpoints.indices.compactMap { answers[$0] })
    }
    return try end.get()
  }

  /// Calls several endpoints concurrently and returns the results in their order.
  public func results(of endpoints: [Endpoint]) async -> [Result<CallResponse, NetworkError>] {
    await withTaskGroup(of: (Int, Result<CallResponse, NetworkError>).self) { group in
      for (place, endpoint) in endpoints.enumerated() {
        group.addTask { (place, await result(of: endpoint)) }
      }
      let ends = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return endpoints.indices.compactMap { ends[$0] }
    }
  }

  private func result(of endpoint: Endpoint) async -> Result<CallResponse, NetworkError> {
    do throws(NetworkError) { return .success(try await call(endpoint)) } catch {
      return .failure(error)
    }
  }
}

/// A client whose responses are created by a closure, for previews and tests.
///
/// ```swift
/// let preview = ClosureClient { _ throws(NetworkError) in
///   CallResponse(status: 200, body: Data(#"{"id":7,"name":"Ada"}"#.utf8))
/// }
/// ```
public struct ClosureClient: Calling {
  private let answer: @Sendable (Endpoint) async throws(NetworkError) -> CallResponse

  /// Creates a client with a closure.
  public init(_ answer: @escaping @Sendable (Endpoint) async throws(NetworkError) -> CallResponse) {
    self.answer = answer
  }

  /// Returns the closure's response.
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> CallResponse {
    try await answer(endpoint)
  }
}
