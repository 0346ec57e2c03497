public import Foundation
internal import WindTunnelHTTP
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

/// A WebSocket engine on this package's own sockets (RFC 6455), for platforms whose `URLSession`
/// has none.
///
/// It supports permessage-deflate (RFC 7692) if zlib is available, and TLS with the system's
/// OpenSSL 3, which is loaded on first use. An `https` server must present a certificate for its
/// name, issued by a trusted authority.
///
/// Cookies, proxies and redirects are not supported. Such header fields are sent unchanged, and a
/// redirect counts as the server's refusal.
///
/// One engine serves any number of conversations on one thread, which ends with the engine; an app
/// needs only one. On Apple platforms it makes the process ignore SIGPIPE.
public struct SocketConversationEngine: ConversationEngine {
  private let dialing: Result<HTTPClient, TransportError>
  private let compresses: Bool

  /// Creates an engine with a thread of its own.
  ///
  /// - Parameters:
  ///   - certificates: A PEM file with the only trusted authorities; `nil` for the system's.
  ///   - compresses: Whether it offers message compression to servers.
  ///   - messageBytesMax: The maximum size of a decompressed message in bytes. A larger one closes
  ///     the connection with 1009.
  public init(
    trusting certificates: URL? = nil,
    compresses: Bool = true,
    messageBytesMax: Int = 64 << 20
  ) {
    var limits = HTTPClient.Limits()
    limits.messageBytesMax = messageBytesMax
    dialing = Result { [limits] () throws(DialFailure) in
      try HTTPClient(trusting: certificates.map { .certificates($0) } ?? .system, limits)
    }
    .mapError { TransportError($0) }
    self.compresses = compresses && PerMessageDeflate.isSupported
  }

  /// The owner of the engine's thread.
  var dialer: AnyObject? {
    if case .success(let dialer) = dialing { dialer } else { nil }
  }

  /// Opens a connection, within the request's time-out.
  public func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
    let dialer = try dialing.get()
    guard let url = request.url else { throw .failed(.badURL, text: "The request has no URL.") }
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    let handshake = Request(
      "GET",
      RequestURL(url.absoluteString),
      headers: HeaderFields(fields.map { HeaderField($0.key, $0.value) })
    )
    let arrivals = SocketArrivals()
    let line = dialer.open(handshake, compresses: compresses, within: request.timeoutInterval) {
      arrivals.hear($0)
    }
    arrivals.pausing { line.pauseReading($0) }
    let handshaken = await withTaskCancellationHandler {
      await arrivals.handshake.value
    } onCancel: {
      line.cancel()
    }
    switch try handshaken.get() {
    case .done(let headers):
      return .opened(SocketConnection(line: line, arrivals: arrivals), headers)
    case .refused(let response): return .refused(response)
    }
  }
}

/// The handshake, messages, pongs and end that a connection reports.
private final class SocketArrivals: Sendable {
  enum Handshake: Sendable {
    case done(Headers)
    case refused(ServerResponse)
  }

  struct State {
    /// The messages that are read ahead. Beyond its limits the connection is not read.
    var inbox = Inbox<ConversationMessage>(countMax: 16, bytesMax: 1 << 20)
    var pings: UInt64 = 0
    var pongs: UInt64 = 0
    var end: ConversationEnd?
  }

  let handshake = Promise<Result<Handshake, TransportError>>()
  let state = Awaited(State())

  func pausing(_ pause: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.inbox.pause = pause }
  }

  /// The reason of the end, or a cancellation if there is none yet.
  var end: ConversationEnd { state.withLock { $0.end ?? .lost(.cancelled) } }

  func hear(_ event: WebSocketLine.Event) {
    switch event {
    case .opened(let head): handshake.keep(.success(.done(Headers(head))))
    case .refused(let answer):
      let (head, body) = (answer.head, answer.body.data)
      let refusal = ServerResponse(status: head.status, headers: Headers(head), body: body)
      handshake.keep(.success(.refused(refusal)))
      ended(.lost(.failed(.malformedResponse, text: "The server refused the handshake.")))
    case .message(let data, let isText):
      // The connection has checked that a text is valid UTF-8.
      let message: ConversationMessage =
        isText ? .text(String(decoding: data, as: UTF8.self)) : .data(data)
      // Within the lock, so that pauses and resumptions are in order.
      state.change { $0.inbox.append(message, bytes: data.count) }
    case .pong(let content):
      guard let number = UInt64(String(decoding: content, as: UTF8.self)) else { return }
      // A server may reply only to the latest of several pings (RFC 6455 §5.5.3).
      state.change { $0.pongs = max($0.pongs, min(number, $0.pings)) }
    case .closed(let code, let reason): ended(.closed(code: code, reason: reason))
    case .failed(let failure):
      let error = TransportError(failure)
      handshake.keep(.failure(error))
      ended(.lost(error))
    }
  }

  private func ended(_ end: ConversationEnd) {
    state.change { state in
      if state.end == nil { state.end = end }
    }
  }
}

/// One connection. It has its socket from the beginning, so that nothing can be sent without one.
private struct SocketConnection: ConversationConnection {
  let line: WebSocketLine
  let arrivals: SocketArrivals

  private var state: Awaited<SocketArrivals.State> { arrivals.state }

  func send(_ message: ConversationMessage) async throws(ConversationEnd) {
    let isSent = Promise<Bool>()
    switch message {
    case .text(let text): line.send(Data(text.utf8), isText: true) { isSent.keep($0) }
    case .data(let data): line.send(data, isText: false) { isSent.keep($0) }
    }
    let isDone = await withTaskCancellationHandler {
      await isSent.value
    } onCancel: {
      // The message is completely queued; only the wait for it ends.
      isSent.keep(false)
    }
    if !isDone { throw Task.isCancelled ? .lost(.cancelled) : arrivals.end }
  }

  func receive() async throws(ConversationEnd) -> ConversationMessage {
    while true {
      let message = state.withLock { $0.inbox.take() }
      if let message { return message }
      if state.withLock({ $0.end != nil }) { throw arrivals.end }
      if Task.isCancelled { throw .lost(.cancelled) }
      await state.wait { !$0.inbox.isEmpty || $0.end != nil }
    }
  }

  func ping() async throws(ConversationEnd) {
    let number = state.withLock { state in
      state.pings += 1
      return state.pings
    }
    line.ping(Data("\(number)".utf8))
    await state.wait { $0.pongs >= number || $0.end != nil }
    let hasCome = state.withLock { $0.pongs >= number }
    if !hasCome { throw arrivals.end }
  }

  func close(code: Int, reason: String) async {
    line.close(code: UInt16(clamping: code), reason: reason)
    // Messages must be read again, so that the server's close frame can arrive.
    line.pauseReading(false)
    await state.wait(ignoringCancellation: true) { $0.end != nil }
  }

  func cancel() { line.cancel() }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 14)
