public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The third part of the layer: it sends one request once.
public protocol Transport: Sendable {
  /// Sends a request and returns its answer, whatever the status. Returns at once when the task is
  /// cancelled, and never repeats the request, unless it was lost with a kept connection before a
  /// byte of its answer came (RFC 9112 §9.3.1).
  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse
  /// Sends a request and returns its answer as soon as the head has come, whatever the status.
  ///
  /// By default the answer of ``send(_:)`` in one piece, with a file's bytes as the request's body.
  func open(_ request: URLRequest, _ upload: Upload) async throws(TransportError)
    -> StreamedResponse
  /// Returns the name, for records, of the engine that will send a request; by default the type's
  /// name.
  func engine(for request: URLRequest) -> String
}

extension Transport {
  /// Returns the name of the type.
  public func engine(for request: URLRequest) -> String { "\(Self.self)" }

  /// Sends the whole request and returns the whole answer.
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

/// The content of a request that is not in the request itself, and the one who hears how far it has
/// been sent.
public struct Upload: Sendable {
  /// The file whose bytes are the content; `nil`: the content is the request's own body.
  public var file: URL?
  /// Hears how many bytes have been sent, of how many.
  public var sent: @Sendable (Int64, Int64) -> Void

  /// Makes one of a file, or of none.
  public init(file: URL? = nil, sent: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }) {
    (self.file, self.sent) = (file, sent)
  }

  /// Returns a request with the content in it, for a transport that sends no files.
  ///
  /// - Throws: ``TransportError/file(_:)`` where the file cannot be read.
  public func whole(_ request: URLRequest) throws(TransportError) -> URLRequest {
    guard let file else { return request }
    var request = request
    do { request.httpBody = try Data(contentsOf: file) } catch {
      throw .file("\(file.lastPathComponent) cannot be read: \(error.localizedDescription)")
    }
    return request
  }

  /// Tells that all content of a request has been sent, where it has any.
  public func allSent(of request: URLRequest) {
    let count = Int64(request.httpBody?.count ?? 0)
    if count > 0 { sent(count, count) }
  }
}

/// A transport that gives up at a deadline by itself, without a task of its own to be cancelled.
protocol DeadlineKeeping: Transport {
  /// Sends a request and brings its answer; after the deadline it fails as cancelled.
  func send(
    _ request: URLRequest,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> ServerResponse
  /// Sends a request and brings its answer's head; after the deadline it fails as cancelled.
  func open(
    _ request: URLRequest,
    _ upload: Upload,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> StreamedResponse
}

/// A transport whose answers come from a closure: for tests and previews.
public struct ScriptedEngine: Transport {
  private let answer: @Sendable (URLRequest) async throws(TransportError) -> ServerResponse

  /// Makes an engine of a closure.
  public init(
    _ answer: @escaping @Sendable (URLRequest) async throws(TransportError) -> ServerResponse
  ) {
    self.answer = answer
  }

  /// Returns the closure's answer.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await answer(request)
  }
}
