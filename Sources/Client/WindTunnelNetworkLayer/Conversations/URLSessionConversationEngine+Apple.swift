#if canImport(Darwin)
  internal import Dispatch
  public import Foundation
  internal import WindTunnelSymptoms

  /// An engine that uses the WebSocket tasks of a `URLSession`.
  public struct URLSessionConversationEngine: ConversationEngine {
    private let session: URLSession
    private let messageBytesMax: Int

    /// Creates an engine with a session, which the caller must invalidate.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - messageBytesMax: The maximum size of a message in bytes.
    public init(session: URLSession, messageBytesMax: Int = 64 << 20) {
      (self.session, self.messageBytesMax) = (session, messageBytesMax)
    }

    /// Opens a connection with a task of the session.
    public func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
      var request = request
      // A session requires the schemes `ws` and `wss`.
      if let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) {
        parts.scheme = ["https": "wss", "http": "ws"][parts.scheme ?? ""] ?? parts.scheme
        request.url = parts.url
      }
      let task = session.webSocketTask(with: request)
      task.maximumMessageSize = messageBytesMax
      let transport = URLSessionTransport(session: session)
      let connection = SessionConnection(task) { [request] in
        transport.failure($0, of: request)
      }
      return try await withGivingUp(at: nil) {
        await connection.open()
      } onGivingUp: {
        connection.cancel()
      }.get()
    }
  }

  /// A WebSocket task and its delegate.
  private final class SessionConnection: NSObject, ConversationConnection,
    URLSessionWebSocketDelegate, @unchecked Sendable
  {
    private let task: URLSessionWebSocketTask
    private let opening = Promise<Result<ConversationOpening, TransportError>>()
    private let end = Locked<ConversationEnd?>(nil)
    private let ended = Promise<Void>()
    private let failure: @Sendable (any Error) -> TransportError

    /// The time within which a server must reply to a close frame.
    private static let closeSeconds = 2.0

    init(
      _ task: URLSessionWebSocketTask,
      failure: @escaping @Sendable (any Error) -> TransportError
    ) {
      (self.task, self.failure) = (task, failure)
      super.init()
      task.delegate = self
    }

    func open() async -> Result<ConversationOpening, TransportError> {
      task.resume()
      return await opening.take()
    }

    func send(_ message: ConversationMessage) async throws(ConversationEnd) {
      let content: URLSessionWebSocketTask.Message =
        switch message {
        case .text(let text): .string(text)
        case .data(let data): .data(data)
        }
      do { try await task.send(content) } catch { throw self.end(by: error) }
    }

    func receive() async throws(ConversationEnd) -> ConversationMessage {
      let word = Promise<Result<URLSessionWebSocketTask.Message, any Error>>()
      task.receive { word.keep($0) }
      let result = await withGivingUp(at: nil) {
        await word.value
      } onGivingUp: {
        word.keep(.failure(URLError(.cancelled)))
      }
      switch result {
      case .success(.string(let text)): return .text(text)
      case .success(.data(let data)): return .data(data)
      case .success: throw .lost(.failed(.malformedResponse, text: "A message of an unknown kind."))
      case .failure(let error): throw end(by: error)
      }
    }

    func ping() async throws(ConversationEnd) {
      let word = Promise<(any Error)?>()
      task.sendPing { word.keep($0) }
      let error = await withGivingUp(at: nil) {
        await word.value
      } onGivingUp: {
        word.keep(URLError(.cancelled))
      }
      if let error { throw end(by: error) }
    }

    func close(code: Int, reason: String) async {
      task.cancel(
        with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure,
        reason: reason.isEmpty ? nil : Data(reason.utf8)
      )
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.closeSeconds) { [ended] in
        ended.keep(())
      }
      await ended.value
    }

    func cancel() { task.cancel() }

    /// Returns the server's close code if there is one, otherwise the session's error.
    private func end(by error: any Error) -> ConversationEnd {
      if let end = end.withLock({ $0 }) { return end }
      if task.closeCode != .invalid {
        let reason = task.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return .closed(code: task.closeCode.rawValue, reason: reason)
      }
      return .lost(failure(error))
    }

    func urlSession(
      _ session: URLSession,
      webSocketTask: URLSessionWebSocketTask,
      didOpenWithProtocol protocol: String?
    ) {
      var headers: Headers = [:]
      if let response = task.response as? HTTPURLResponse {
        headers = ServerResponse(response, body: Data(), stages: nil).headers
      }
      opening.keep(.success(.opened(self, headers)))
    }

    func urlSession(
      _ session: URLSession,
      webSocketTask: URLSessionWebSocketTask,
      didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
      reason: Data?
    ) {
      let words = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
      end.withLock { $0 = .closed(code: closeCode.rawValue, reason: words) }
      ended.keep(())
    }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didCompleteWithError error: (any Error)?
    ) {
      ended.keep(())
      // The response of a server that did not switch the protocol.
      if let response = task.response as? HTTPURLResponse, response.statusCode != 101 {
        let answer = ServerResponse(response, body: Data(), stages: nil)
        opening.keep(.success(.refused(answer)))
        return
      }
      opening.keep(.failure(failure(error ?? URLError(.networkConnectionLost))))
    }
  }
#endif
