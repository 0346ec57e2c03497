public import Foundation
internal import WindTunnelHTTP
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A transport on sockets of this package's own: HTTP/1.1 (RFC 9110, RFC 9112), with TLS by the
/// system's OpenSSL 3, which is opened when it is needed.
///
/// ```swift
/// let client = NetworkClient(
///   builder: RequestBuilder(baseURL: baseURL),
///   transport: SocketTransport()
/// )
/// ```
///
/// Connections are kept for the next request, unless one says `Connection: close`. Addresses of a
/// server are tried a quarter of a second apart (RFC 8305). A server by `https` has to show a
/// certificate for its name that leads to a trusted authority. Content in gzip and deflate is
/// decoded where there is a zlib, and redirects are followed, without credentials to another host
/// or out of TLS, as by `URLSessionTransport`. Failures have the same symptoms as there.
///
/// A request that is lost with a kept connection before a byte of its answer came is sent once more
/// over a new one, if it may be met twice (RFC 9110 §9.2.2) or not a byte of it had been sent
/// (RFC 9112 §9.3.1). Nothing else is repeated.
///
/// There are no cookies, no proxies, no cache, no client certificates, no HTTP/2 and no answers to
/// challenges: what a request says of them is sent as it is, and what an answer says is handed out.
/// A body as an `InputStream` is refused. One transport serves any number of requests on one
/// thread, which ends with the last copy of it: an app has one. It has the process ignore SIGPIPE
/// on Apple platforms.
public struct SocketTransport: Transport {
  /// The limits of connections, and of what a server may send.
  public struct Limits: Sendable, Hashable {
    /// The most connections to one server at once; further requests wait for one, in their order.
    public var connectionsPerServer = 6
    /// The most connections that wait for a request, to all servers.
    public var idleConnectionsMax = 32
    /// The time for which a connection waits for its next request; zero: none is kept.
    public var idleTime = Duration.seconds(4)
    /// The time that each address of a server has to take a connection, its TLS handshake included;
    /// the request's own time-out where that is shorter.
    public var connectTime = Duration.seconds(10)
    /// The most bytes of an answer's header fields; curl takes as many.
    public var headBytesMax = 300 << 10
    /// The most header fields of an answer.
    public var headFieldsMax = 2000
    /// The most bytes of content, when it is decoded, of an answer that is returned as a whole.
    public var contentBytesMax = 256 << 20
    /// The most redirects of a request.
    public var redirectsMax = 20

    /// Makes the usual limits.
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

  private let making: Result<HTTPClient, DialFailure>
  private let limits: Limits

  /// Makes a transport with a thread of its own.
  ///
  /// - Parameters:
  ///   - certificates: A file in PEM with the only authorities that are trusted; `nil`: the
  ///     system's.
  ///   - limits: The limits of connections, and of what a server may send.
  public init(trusting certificates: URL? = nil, limits: Limits = Limits()) {
    self.limits = limits
    making = Result { () throws(DialFailure) in
      try HTTPClient(
        trusting: certificates.map { .certificates($0) } ?? .system,
        limits.ofConnections
      )
    }
  }

  /// The owner of the transport's thread.
  var client: HTTPClient? {
    if case .success(let client) = making { client } else { nil }
  }

  /// Sends a request and returns its answer; a cancellation ends it at once.
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

  /// Sends a request and returns its answer as soon as the head has arrived. A server is read no
  /// faster than its reader reads; a reader that stops, or is cancelled, ends the request.
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

  /// Sends a request, follows redirects, and returns the first answer that leads nowhere else, with
  /// whether it is behind one.
  private func answered(
    _ request: URLRequest,
    _ upload: Upload,
    isStreamed: Bool
  ) async throws(TransportError) -> (Arrival, ResponseHead, isRedirected: Bool) {
    let client: HTTPClient
    do throws(DialFailure) { client = try making.get() } catch { throw TransportError(error) }
    var step = try WrittenRequest(request, upload)
    for count in 0...max(0, limits.redirectsMax) {
      let arrival = Arrival(
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
        "The content is in \(coding.prefix(60)), which cannot be decoded here."
      case .damaged: "The content is not in the coding that it is said to be in."
      case .tooLarge: "The content is larger than the transport's limit when it is decoded."
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

/// The reader of a streamed answer's pieces; the request ends with it.
private final class PieceReader: @unchecked Sendable {
  private let arrival: Arrival
  /// Used by one reader at a time, as a stream is.
  private let decoder: ContentDecoder

  init(
    _ arrival: Arrival,
    _ head: ResponseHead,
    of request: URLRequest,
    bytesMax: Int
  ) throws(TransportError) {
    self.arrival = arrival
    // RFC 9110 §6.4.1: these have no content, in whatever coding it would be.
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
        // Some of what arrives is no content yet.
        if !decoded.isEmpty { return decoded }
      } catch {
        arrival.cancel()
        throw TransportError(error)
      }
    }
    guard decoder.isWhole else {
      throw .failed(.undecodableBody, text: "The content ends within its coding.")
    }
    return nil
  }
}
