internal import Dispatch
public import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms
package import WindTunnelURLSession
internal import WindTunnelVirtualTime

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// One use of the client's API in a drill.
public struct DrillCall: Sendable {
  /// The call's number in the scenario, from 0.
  public let index: Int
  /// The request to make, as it was recorded, with the recorded host.
  public let request: Request
  /// Whether a person needs the response: the plan, the scenario or the cassette calls its request
  /// critical. A screen by default is not.
  public let isCritical: Bool
  /// The way to the server.
  var route: CallRoute
  /// The base URL to call: everything in front of the recorded path.
  public var baseURL: URL { route.baseURL }
  /// The base URLs of the servers that an app chooses among at its start, the nearest first, where
  /// the cassette has a start; else ``baseURL`` alone.
  public var origins: [URL] { servers.isEmpty ? [baseURL] : servers.map(\.base) }
  /// The session to use; in process it leads to the cassette, and so does ``send(_:)``.
  public var session: URLSession { route.session.session }
  /// The time for which one attempt may wait without receiving a byte.
  public let attemptTimeout: Duration
  /// The time that the call may take.
  public let deadline: Duration
  /// The file of the authority that issues the certificates on the call's way, for whoever can be
  /// told whom to trust.
  var authorityFile: URL?
  /// The network in which its address is; `nil`: this process's own.
  var network: PrivateNetwork? { route.network }
  /// The recording of the conversation by WebSocket that its request begins; `nil` where it begins
  /// none.
  package internal(set) var conversation: Interaction?
  /// The servers of the cassette's start; empty where it has none.
  package var servers: [CallServer] { route.servers }
  /// The file of the configuration that an app has kept, for programs; `nil` where the cassette has
  /// no start, and for all others.
  var kept: URL?
  /// Tells whether the memory of its program is looked at.
  var watchesMemory = false
  /// The start of the program that is started for it.
  let programStart = ProgramStart()
  /// The way to the deck without a session; `nil` on the wire.
  package var exchange: DirectExchange? { route.exchange }
  /// The client's word on what was shown: that something was, and that it was an earlier copy.
  private let word = Locked<(isShown: Bool?, isStale: Bool?)>((nil, nil))
  /// The client's word on what it received in a conversation.
  private let heard = Locked<[(digest: UInt64, at: DispatchTime)]>([])
  /// The steps of a flow in a search; `nil` in a drill.
  package var steps: FlowSteps?

  /// Returns the longest a harness waits for a call before it declares a hang: a client that keeps
  /// to its deadline gets some time to return.
  static func patience(_ deadline: Duration) -> Duration { deadline + deadline / 2 + .seconds(1) }

  /// A configuration for a client that makes its own sessions: they lead where ``session`` leads.
  ///
  /// Each access makes a new object, to be changed at will. The work of its sessions must have
  /// ended when the call does, like all that the call begins: their route then belongs to another
  /// call.
  public var configuration: URLSessionConfiguration { route.configure() }

  /// Tells whether its address is this machine's own, or a name that nobody can have, or one that
  /// leads nowhere else in its network.
  var leadsNowhereElse: Bool {
    guard let host = baseURL.host else { return false }
    if network != nil { return host.hasSuffix(".\(LateNames.domain)") }
    return host == "127.0.0.1" || host == Targets.unknownName
  }

  /// The whole URL of the call: base, recorded path and query. That of a conversation has the
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

  /// Sends a request and returns its answer, behind redirects, without a session and without what
  /// Foundation makes of requests: for clients with a transport of their own, in process alone.
  ///
  /// ```swift
  /// let report = try await Drill(cassette, in: .preRelease).run(in: .virtualTime) { call in
  ///   try await call.send(call.request).body.data
  /// }
  /// ```
  ///
  /// - Parameter request: The request; it goes to the cassette, whatever its host.
  /// - Returns: The answer, its body without content coding.
  /// - Throws: The `URLError` that a session would have, `CancellationError`, or `DrillError` where
  ///   only a socket can carry it.
  public func send(_ request: Request) async throws -> Response {
    guard let exchange else {
      throw DrillError.plan(
        "\(url) is on the wire, where a session is needed. Fly it with the stage .inProcess."
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

  /// Does a step of a flow, which is one thing that a user does, such as to pay.
  ///
  /// A drill does the work and nothing more. A search may cancel it, as for a user who leaves the
  /// screen, wait for its end, and do it once more, as for one who comes back.
  ///
  /// - Parameters:
  ///   - name: The step's name, which no other step of the flow has.
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

  /// Ends the process that this call's client stands for, and returns the call of the one that is
  /// started in its place: in process alone.
  package func restarted() -> DrillCall {
    exchange?.die()
    route.session.cancel()
    // What it says of itself is said of the same call.
    var next = self
    next.route.exchange = exchange?.anew()
    next.route.session = CallSession { [configure = route.configure] in
      URLSession(configuration: configure())
    }
    return next
  }

  /// Ends the session of a call that was restarted, with its last task.
  package func close() { route.session.end() }

  /// Reports whether the user saw something, where the client's result does not show it: a stale
  /// copy after an error, or a page without a line on it. The last report counts.
  public func showed(_ isShown: Bool) { word.withLock { $0.isShown = isShown } }

  /// Reports whether what was shown is an earlier copy. A client that never reports it has neither
  /// stale nor fresh pages in its report.
  public func servedStale(_ isStale: Bool) { word.withLock { $0.isStale = isStale } }

  /// Reports that the client has received a message of its conversation and hands it on, as soon as
  /// it does: whatever is never reported counts as lost, and of a client that reports nothing
  /// nobody knows.
  public func received(_ message: Data) {
    let digest = ConversationLog.digest(of: message)
    heard.withLock { $0.append((digest, .now())) }
  }

  /// Reports that the client has received a message of text.
  public func received(_ message: String) { received(Data(message.utf8)) }

  /// The client's word on what it received, with times since a moment; `nil`: it said nothing.
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

  /// The client's word on that.
  var saidStale: Bool? { word.withLock { $0.isStale } }

  /// The client's word on what was shown.
  var said: Bool? { word.withLock { $0.isShown } }
}

extension String {
  /// Every byte that has no place in a path or query (RFC 3986 §3.3 and §3.4) as its escape; what
  /// is escaped already stays as it is. `URL` would escape those, too, and their percent signs.
  fileprivate var withURLCharactersOnly: String {
    addingPercentEncoding(withAllowedCharacters: Self.urlCharacters) ?? self
  }

  private static let urlCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      + "-._~!$&'()*+,;=:@/?%"
  )
}
