public import Foundation
internal import WindTunnelHTTP
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

/// An HTTP/1.1 transport on this package's own sockets (RFC 9110, RFC 9112).
///
/// ```swift
/// let client = NetworkClient(
///   builder: RequestBuilder(baseURL: baseURL),
///   transport: SocketTransport()
/// )
/// ```
///
/// TLS uses the system's OpenSSL 3, which is loaded on first use. Connections are reused, unless
/// the client or the server sends `Connection: close`. The addresses of a server are tried a
/// quarter of a second apart (RFC 8305). An `https` server must present a certificate for its name,
/// issued by a trusted authority.
///
/// Content in gzip and deflate is decoded if zlib is available. Redirects are followed, without
/// credentials to another host or without TLS, as by `URLSessionTransport`. Failures have the same
/// symptoms as there.
///
/// If a reused connection is lost before the first byte of the response, the request may be sent
/// once more on a new connection. The condition is that it is idempotent (RFC 9110 §9.2.2), or that
/// no byte of it had been sent (RFC 9112 §9.3.1). Nothing else is repeated.
///
/// Cookies, proxies, a cache, client certificates, HTTP/2 and authentication challenges are not
/// supported. Such header fields are passed on unchanged in both directions. A body as an
/// `InputStream` is refused.
///
/// One transport serves any number of requests on one thread, which ends with its last copy; an app
/// needs only one. On Apple platforms it makes the process ignore SIGPIPE.
public struct SocketTransport: Transport {
  /// The limits of connections and of responses.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of connections to one server. Further requests wait in their order.
    public var connectionsPerServer = 6
    /// The maximum number of idle connections to all servers.
    public var idleConnectionsMax = 32
    /// The time for which an idle connection is kept; zero to keep none.
    public var idleTime = Duration.seconds(4)
    /// The maximum time to connect to each address of a server, including the TLS handshake.
    ///
    /// A shorter time-out of the request takes precedence.
    public var connectTime = Duration.seconds(10)
    /// The maximum size of a response's header fields in bytes, which equals curl's.
    public var headBytesMax = 300 << 10
    /// The maximum number of a response's header fields.
    public var headFieldsMax = 2000
    /// The maximum size in bytes of decoded content, for a response that is returned as a whole.
    public var contentBytesMax = 256 << 20
    /// The maximum number of redirects of a request.
    public var redirectsMax = 20

    /// Creates the default limits.
    public init() {}

    fileprivate var ofConnections: HTTPClient.Limits {
      var limits = HTTPClient.Limits()
      limits.connectionsPerServer = max(1, connectionsPerServer)
      limits.idleConnectionsMax = idleConnectionsMax
      limits.idleSeconds = idleTime / .seconds(1)
      limits.connectSeconds = connectTime / .seconds(1)
      limits.headBytesMax = headBytesMax
      limits.headFieldsMax = headFieldsMax
      return limits
    }
  }

  private let making: Result<HTTPClient, TransportError>
  private let limits: Limits

  /// Creates a transport with a thread of its own.
  ///
  /// - Parameters:
  ///   - certificates: A PEM file with the only trusted authorities; `nil` for the system's.
  ///   - limits: The limits of connections and of responses.
  public init(trusting certificates: URL? = nil, limits: Limits = Limits()) {
    self.limits = limits
    making = Result { () throws(DialFailure) in
      try HTTPClient(
        trusting: certificates.map { .certificates($0) } ?? .system,
        limits.ofConnections
      )
    }
    .mapError { TransportError($0) }
  }

  /// The owner of the transport's thread.
  var client: HTTPClient? {
    if case .success(let client) = making { client } else { nil }
  }

  /// Sends a request and returns its response. A cancellation ends it at once.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    let (arrival, head, isRedirected) = try await answered(request, Upload(), isStreamed: false)
    let reader = try PieceReader(arrival, head, of: request, bytesMax: limits.contentBytesMax)
    var body = Data()
    while let piece = try await reader.next() { body += piece }
    var answer = ServerResponse(
      status: head.status,
      headers: Headers(head),
      body: body,
      stages: arrival.stages.map { StageTimings($0) }
    )
    answer.isRedirected = isRedirected
    return answer
  }

  /// Sends a request and returns its response as soon as the head has arrived.
  ///
  /// The socket is read at the reader's pace. A reader that stops or is cancelled ends the request.
  public func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    let (arrival, head, isRedirected) = try await answered(request, upload, isStreamed: true)
    let reader = try PieceReader(arrival, head, of: request, bytesMax: .max)
    var answer = StreamedResponse(
      status: head.status,
      headers: Headers(head),
      pieces: AsyncThrowingStream { try await reader.next() },
      cancel: { [weak arrival] in arrival?.cancel() }
    )
    answer.isRedirected = isRedirected
    return answer
  }

  /// Sends a request and follows redirects. Returns the final response, and whether it was
  /// redirected.
  private func answered(
    _ request: URLRequest,
    _ upload: Upload,
    isStreamed: Bool
  ) async throws(TransportError) -> (IncomingResponse, ResponseHead, isRedirected: Bool) {
    let client = try making.get()
    var step = try WrittenRequest(request, upload)
    for count in 0...max(0, limits.redirectsMax) {
      let arrival = IncomingResponse(
        bytesMax: isStreamed ? .max : limits.contentBytesMax,
        readsAhead: isStreamed,
        sent: upload.sent
      )
      arrival.begin(client.send(try step.question()) { [weak arrival] in arrival?.hear($0) })
      let head: ResponseHead
      do throws(TransportError) { head = try await arrival.head() } catch {
        arrival.cancel()
        throw error
      }
      guard let next = try step.redirected(by: head) else { return (arrival, head, count > 0) }
      arrival.discard()
      step = next
    }
    throw .failed(.tooManyRedirects, text: "There were more than \(limits.redirectsMax) redirects.")
  }
}

extension TransportError {
  init(_ failure: DialFailure) {
    self = failure.symptom == .cancelled ? .cancelled : .failed(failure.symptom, text: failure.text)
  }

  fileprivate init(_ failure: ContentDecoder.Failure) {
    let text =
      switch failure {
      case .unknownCoding(let coding):
        "The content is in \(coding.prefix(60)), which is not supported."
      case .damaged: "The content does not have its stated coding."
      case .tooLarge: "The decoded content is larger than the transport's limit."
      }
    self = .failed(.undecodableBody, text: text)
  }
}

extension Headers {
  init(_ head: ResponseHead) {
    self.init(head.headers.map { Headers.Field($0.name, $0.value) })
  }
}

extension StageTimings {
  fileprivate init(_ stages: HTTPStages) {
    self.init(
      nameLookup: stages.nameLookup,
      connect: stages.connect,
      send: stages.send,
      wait: stages.wait,
      receive: stages.receive
    )
  }
}

/// The reader of a streamed response's pieces. The request ends with it.
private final class PieceReader: @unchecked Sendable {
  private let arrival: IncomingResponse
  /// Only one reader uses it at a time, like the stream.
  private let decoder: ContentDecoder

  init(
    _ arrival: IncomingResponse,
    _ head: ResponseHead,
    of request: URLRequest,
    bytesMax: Int
  ) throws(TransportError) {
    self.arrival = arrival
    // RFC 9110 §6.4.1: these responses have no content, even with a `Content-Encoding` field.
    let isEmpty = request.httpMethod == "HEAD" || [204, 304].contains(head.status)
    let codings = isEmpty ? [] : head.headers.values("Content-Encoding")
    do throws(ContentDecoder.Failure) {
      decoder = try ContentDecoder(codings, bytesMax: bytesMax)
    } catch {
      arrival.cancel()
      throw TransportError(error)
    }
  }

  deinit { arrival.cancel() }

  /// Returns the next decoded piece; `nil` at the end.
  func next() async throws(TransportError) -> Data? {
    while let piece = try await arrival.next() {
      do throws(ContentDecoder.Failure) {
        let decoded = try decoder.decode(piece)
        // Some received bytes decode to nothing yet.
        if !decoded.isEmpty { return decoded }
      } catch {
        arrival.cancel()
        throw TransportError(error)
      }
    }
    guard decoder.isWhole else {
      throw .failed(.undecodableBody, text: "The coded content is truncated.")
    }
    return nil
  }
}
