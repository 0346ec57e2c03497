public import Foundation

/// The third part of the layer: it sends one request once.
public protocol Transport: Sendable {
  /// Sends a request and returns its response, with any status.
  ///
  /// It returns at once if the task is cancelled. It repeats the request only if a reused
  /// connection was lost before the first byte of the response (RFC 9112 §9.3.1).
  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse
  /// Sends a request and returns its response as soon as the head has arrived, with any status.
  ///
  /// By default it returns the response of ``send(_:)`` in one piece, with a file's bytes as the
  /// request's body.
  func open(_ request: URLRequest, _ upload: Upload) async throws(TransportError)
    -> StreamedResponse
  /// Returns the name of the engine for a request, for records; by default the type's name.
  func engine(for request: URLRequest) -> String
}

extension Transport {
  /// Returns the name of the type.
  public func engine(for request: URLRequest) -> String { "\(Self.self)" }

  /// Sends the whole request and returns the whole response.
  public func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    let request = try upload.whole(request)
    let answer = try await send(request)
    upload.allSent(of: request)
    return StreamedResponse(answer)
  }
}

/// The content of a request that is sent from a file, and a closure that receives the progress.
public struct Upload: Sendable {
  /// The file that contains the content; `nil` if the content is the request's own body.
  public var file: URL?
  /// Receives the number of bytes sent and the total.
  public var sent: @Sendable (Int64, Int64) -> Void

  /// Creates an upload with or without a file.
  public init(file: URL? = nil, sent: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }) {
    (self.file, self.sent) = (file, sent)
  }

  /// Returns a request with the content in its body, for a transport that cannot send files.
  ///
  /// - Throws: ``TransportError/file(_:)`` if the file cannot be read.
  public func whole(_ request: URLRequest) throws(TransportError) -> URLRequest {
    guard let file else { return request }
    var request = request
    do { request.httpBody = try Data(contentsOf: file) } catch {
      throw .file("\(file.lastPathComponent) cannot be read: \(error.localizedDescription)")
    }
    return request
  }

  /// Reports that all content of a request was sent, if there is any.
  public func allSent(of request: URLRequest) {
    let count = Int64(request.httpBody?.count ?? 0)
    if count > 0 { sent(count, count) }
  }
}

/// A transport that enforces deadlines itself, without a separate task that can be cancelled.
protocol DeadlineKeeping: Transport {
  /// Sends a request and returns its response. After the deadline it fails as cancelled.
  func send(
    _ request: URLRequest,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> ServerResponse
  /// Sends a request and returns its response's head. After the deadline it fails as cancelled.
  func open(
    _ request: URLRequest,
    _ upload: Upload,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> StreamedResponse
}

/// A transport whose responses are created by a closure, for tests and previews.
public struct ScriptedEngine: Transport {
  private let answer: @Sendable (URLRequest) async throws(TransportError) -> ServerResponse

  /// Creates an engine with a closure.
  public init(
    _ answer: @escaping @Sendable (URLRequest) async throws(TransportError) -> ServerResponse
  ) {
    self.answer = answer
  }

  /// Returns the closure's response.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await answer(request)
  }
}
