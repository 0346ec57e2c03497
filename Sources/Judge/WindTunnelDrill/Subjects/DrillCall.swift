internal import Dispatch
public import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms
package import WindTunnelURLSession

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// One use of the client's API in a drill.
public struct DrillCall: Sendable {
  /// The call's number in the scenario, from 0.
  public let index: Int
  /// The request to make, as it was recorded, with the recorded host.
  public let request: Request
  /// Whether a user needs the response, because the plan, the scenario or the cassette marks its
  /// request as critical. A request that is only a screen by default does not count.
  public let isCritical: Bool
  /// The route to the server.
  var route: CallRoute
  /// The base URL of the call: everything before the recorded path.
  public var baseURL: URL { route.baseURL }
  /// The base URLs of the servers that an app chooses among at its start, the nearest first. If the
  /// cassette has no start, ``baseURL`` is the only one.
  public var origins: [URL] { servers.isEmpty ? [baseURL] : servers.map(\.base) }
  /// The session to use. In process, its requests go to the cassette, like requests of
  /// ``send(_:)``.
  public var session: URLSession { route.session.session }
  /// The maximum time that one attempt may wait without receiving a byte.
  public let attemptTimeout: Duration
  /// The time that the call may take.
  public let deadline: Duration
  /// The file of the authority that issues the call's certificates, for clients that can be
  /// configured to trust it.
  var authorityFile: URL?
  /// The network of the call's address. `nil` means this process's own network.
  var network: PrivateNetwork? { route.network }
  /// The recording of the WebSocket conversation that its request begins, or `nil` if there is
  /// none.
  package internal(set) var conversation: Interaction?
  /// The servers of the cassette's start. Empty if the cassette has none.
  package var servers: [CallServer] { route.servers }
  /// The file of the configuration that an app has kept, for programs. `nil` for other clients, and
  /// if the cassette has no start.
  var kept: URL?
  /// Whether the memory of its program is watched.
  var watchesMemory = false
  /// The start of the program for this call.
  let programStart = ProgramStart()
  /// The access to the deck without a session; `nil` on the wire.
  package var exchange: DirectExchange? { route.exchange }
  /// The client's own report of the shown content: whether there was content, and whether it was an
  /// earlier copy.
  private let word = Locked<(isShown: Bool?, isStale: Bool?)>((nil, nil))
  /// The client's own report of the messages that it received in a conversation.
  private let heard = Locked<[(digest: UInt64, at: DispatchTime)]>([])
  /// The steps of a flow in a search; `nil` in a drill.
  package var steps: FlowSteps?

  /// Returns the maximum time that a harness waits for a call before the call counts as hung. A
  /// client that keeps to its deadline gets some extra time to return.
  static func patience(_ deadline: Duration) -> Duration { deadline + deadline / 2 + .seconds(1) }

  /// A configuration for a client that creates its own sessions. Their requests have the same
  /// destination as requests of ``session``.
  ///
  /// Each access creates a new object, which the client may change. The work of its sessions must
  /// have ended when the call ends, as must all other work of the call. Afterwards their requests
  /// count for another call.
  public var configuration: URLSessionConfiguration { route.configure() }

  /// Whether the call can only reach this machine: by a loopback address, an impossible name, or a
  /// name of its own network.
  var leadsNowhereElse: Bool {
    guard let host = baseURL.host else { return false }
    if network != nil { return host.hasSuffix(".\(LateNames.domain)") }
    return host == "127.0.0.1" || host == Targets.unknownName
  }

  /// The whole URL of the call: base, recorded path and query. The URL of a conversation has the
  /// scheme `ws` or `wss` (RFC 6455 §3).
  public var url: URL {
    var base = baseURL.absoluteString
    if conversation != nil, base.hasPrefix("http") { base = "ws" + base.dropFirst(4) }
    if base.hasSuffix("/") { base.removeLast() }
    return URL(string: base + request.url.target.withURLCharactersOnly) ?? baseURL
  }

  /// The recorded request at this call's URL, with its headers, its body and the attempt's timeout.
  public var urlRequest: URLRequest {
    var asked = URLRequest(url: url)
    asked.httpMethod = request.method
    asked.timeoutInterval = attemptTimeout.inMilliseconds / 1000
    for field in request.headers { asked.setValue(field.value, forHTTPHeaderField: field.name) }
    if !request.body.data.isEmpty { asked.httpBody = request.body.data }
    return asked
  }

  /// Sends a request in process and returns the response after redirects, without a session or
  /// Foundation's changes to requests. For clients with a transport of their own.
  ///
  /// ```swift
  /// let report = try await Drill(cassette, in: .preRelease).run(in: .virtualTime) { call in
  ///   try await call.send(call.request).body.data
  /// }
  /// ```
  ///
  /// - Parameter request: The request. It is sent to the cassette, for any host.
  /// - Returns: The response, with its body decoded from any content coding.
  /// - Throws: The `URLError` that a session would report, `CancellationError`, or `DrillError` if
  ///   only a socket can carry the request.
  public func send(_ request: Request) async throws -> Response {
    guard let exchange else {
      throw DrillError.plan(
        "\(url) is a network address, but a session is required. Run it with the stage .inProcess."
      )
    }
    do throws(DirectExchange.Failure) {
      let answer = try await exchange.answer(to: request, silentFor: attemptTimeout)
      return Response(
        status: answer.head.status,
        headers: answer.head.headers,
        body: Body(answer.body)
      )
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .failed(let symptom): throw symptom.urlError(for: url, as: exchange.errors)
      case .impossible(let reason): throw DrillError.harness(reason)
      }
    }
  }

  /// Performs a step of a flow: a single action of a user, such as a payment.
  ///
  /// A drill only performs the work. A search may cancel the work and wait for its end, as if the
  /// user leaves the screen. It then performs the work once more, as if the user returns.
  ///
  /// - Parameters:
  ///   - name: The step's name, which must be unique in the flow.
  ///   - work: The step's work.
  /// - Returns: The value of the work.
  /// - Throws: The error of the work.
  public func step<Value: Sendable>(
    _ name: String,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let steps else { return try await work() }
    return try await steps.take(name, work)
  }

  /// Simulates the end of this call's process, and returns a call for a process that is started in
  /// its place. In process only.
  package func restarted() -> DrillCall {
    exchange?.die()
    route.session.cancel()
    // Both calls share the client's own reports.
    var next = self
    next.route.exchange = exchange?.anew()
    next.route.session = CallSession { [configure = route.configure] in
      URLSession(configuration: configure())
    }
    return next
  }

  /// Ends the session of a call that was restarted, after its last task.
  package func close() { route.session.end() }

  /// Reports whether the user saw content, if the client's result does not show it. Examples are a
  /// stale copy after an error, or a page without text. The last report counts.
  public func showed(_ isShown: Bool) { word.withLock { $0.isShown = isShown } }

  /// Reports whether the shown content is an earlier copy. If a client never reports this, its
  /// report has neither stale nor fresh pages.
  public func servedStale(_ isStale: Bool) { word.withLock { $0.isStale = isStale } }

  /// Reports that the client has received a message of its conversation, at the time when it passes
  /// the message on. A message without a report counts as lost. If a client reports no messages at
  /// all, they are not judged.
  public func received(_ message: Data) {
    let digest = ConversationLog.digest(of: message)
    heard.withLock { $0.append((digest, .now())) }
  }

  /// Reports that the client has received a text message.
  public func received(_ message: String) { received(Data(message.utf8)) }

  /// Returns the client's report of its received messages, with times since a moment; `nil` if it
  /// reported none.
  func saidReceived(since epoch: DispatchTime) -> ReceivedMessages? {
    let heard = heard.withLock { $0 }
    guard !heard.isEmpty else { return nil }
    var received = ReceivedMessages()
    for (digest, moment) in heard {
      let start = min(epoch.uptimeNanoseconds, moment.uptimeNanoseconds)
      let at = Duration.microseconds(Int64((moment.uptimeNanoseconds - start) / 1000))
      received.note(ReceivedMessages.Message(digest: digest, at: at))
    }
    return received
  }

  /// The client's report whether the content was an earlier copy.
  var saidStale: Bool? { word.withLock { $0.isStale } }

  /// The client's report whether there was content.
  var said: Bool? { word.withLock { $0.isShown } }
}

extension String {
  /// The text with every byte escaped that is not allowed in a path or query (RFC 3986 §3.3 and
  /// §3.4). Existing escapes are kept, whereas `URL` would also escape their percent signs.
  fileprivate var withURLCharactersOnly: String {
    addingPercentEncoding(withAllowedCharacters: Self.urlCharacters) ?? self
  }

  private static let urlCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      + "-._~!$&'()*+,;=:@/?%"
  )
}
