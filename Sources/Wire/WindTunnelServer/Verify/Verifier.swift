public import WindTunnel
internal import WindTunnelSymptoms

/// A comparison of a cassette with the live origin. It sends each interaction's request again, in
/// recorded order, and compares the responses.
///
/// ```swift
/// let verifier = Verifier(try Upstream(RequestURL(origin)))
/// let drift = try await verifier.verify(cassette)
/// ```
///
/// By default only safe requests are sent (RFC 9110 §9.2.1); the others are skipped and listed.
public struct Verifier: Sendable {
  /// The origin on the cassette; `nil` for the origin of most of its interactions.
  public var recordedOrigin: RequestURL?
  /// The values of redacted parts of requests: `authorization` for every
  /// `REDACTED-authorization-N`, `authorization-2` for the second alone.
  public var secrets: [String: String] = [:]
  /// Whether requests that may change something are also sent.
  public var asksUnsafe = false
  /// Whether logins are also sent: unsafe requests whose responses have secrets that later requests
  /// send. The live response's values replace the redacted parts.
  public var logsIn = false
  /// The maximum time for a response on an open connection.
  public var timeout: Duration = .seconds(30)
  /// Additional rules for redacting live responses before they are shown. The built-in rules always
  /// apply.
  public var redaction = RedactionRules.standard
  /// The names of further header fields that are not compared.
  public var volatile: [String] = []
  /// Returns advice on how to give a missing secret of this name, for the end of the message.
  package var advice: @Sendable (_ name: String) -> String = { _ in "" }
  /// The limits for the size of a response and the time to connect.
  public var limits = Limits.upstream
  private let upstream: Upstream

  /// Creates a verifier for a server.
  public init(_ upstream: Upstream) { self.upstream = upstream }

  /// Sends the requests and compares the responses.
  ///
  /// - Throws: `ServerError.upstream` if the server cannot be reached.
  public func verify(_ cassette: Cassette) async throws -> Drift {
    let recordedURL = recordedOrigin ?? Deck(cassette).origin ?? upstream.url
    let loop = try EventLoop(name: "WindTunnel verifier")
    do {
      var (drift, secrets) = (Drift(), Secrets(secrets))
      let logins = logsIn ? cassette.logins : []
      for (index, interaction) in cassette.interactions.enumerated() {
        let asksUnsafe = asksUnsafe || logins.contains(index)
        let verdict = try await verdict(on: interaction, recordedURL, loop, &secrets, asksUnsafe)
        drift.entries.append(Drift.CheckedInteraction(index + 1, interaction.request, verdict))
      }
      await loop.stop()
      return drift
    } catch {
      await loop.stop()
      throw error
    }
  }

  private func verdict(
    on interaction: Interaction,
    _ recordedURL: RequestURL,
    _ loop: EventLoop,
    _ secrets: inout Secrets,
    _ asksUnsafe: Bool
  ) async throws -> Drift.Status {
    if let reason = Drift.reasonToSkip(interaction, asksUnsafe: asksUnsafe) {
      return .skipped(reason)
    }
    let place = interaction.request.url
    if place.host != nil, place.origin != recordedURL.origin {
      return .skipped("it is not from \(recordedURL.origin ?? "")")
    }
    let asked: Request
    do throws(Secrets.Missing) {
      asked = try secrets.restored(interaction.request)
    } catch {
      return .skipped("there is no secret for \(error.part)\(advice(error.name))")
    }
    let live = try await ask(asked, known: interaction, as: recordedURL, loop)
    switch live.failure {
    case .message(let error)? where [.contentTooLarge, .fieldsTooLarge].contains(error.kind):
      return .skipped(error.sentence)
    case .socket(let error)? where error.isOwn:
      throw ServerError.upstream("no request to \(upstream.url.origin ?? "") was sent: \(error)")
    // The next address of the server shows the same certificate.
    case .socket(let error)? where error.operation != .read && error.operation != .write:
      throw ServerError.upstream("\(upstream.url.origin ?? "") does not respond: \(error)")
    default: break
    }
    if logsIn, case .response(let here) = live.result, let there = interaction.response {
      secrets.learn(from: there, here)
    }
    // A cassette may have the server's URLs, too.
    var known = interaction
    known.result = named(interaction.result, recordedURL)
    return Drift.Status(
      known,
      asked: asked,
      live: named(live.result, recordedURL),
      redaction,
      volatile: Set(volatile.map { $0.lowercased() })
    )
  }

  private func ask(
    _ asked: Request,
    known recorded: Interaction,
    as recordedURL: RequestURL,
    _ loop: EventLoop
  ) async throws -> (result: RecordedResult, failure: ExchangeFailure?) {
    var request = asked
    // Requests the body as it was recorded: a body that was kept decoded or in gzip must not be
    // received in a coding that cannot be decoded.
    let coding = recorded.response?.headers["Content-Encoding"]?.lowercased() ?? ""
    if !["br", "zstd"].contains(coding) { request.headers.acceptOnlyOpenedCodings() }
    // The recorded client may have requested the trailers.
    let takesTrailers = request.headers["TE"] != nil || recorded.response?.trailers.isEmpty == false
    request.headers.removeConnectionFields()
    request.headers.remove("Host")
    let (upstream, limits, sent) = (upstream, limits, request)
    return try await withCheckedThrowingContinuation { continuation in
      let isPosted = loop.execute { reactor in
        let request = OutgoingRequest(
          sent.method,
          to: recordedURL,
          sent.url.target,
          sent.headers,
          SentContent(sent.body.data),
          endsConnection: true,
          takesTrailers: takesTrailers
        )
        var terms = ClientExchange.Terms(patience: .response, seconds: timeout / .seconds(1))
        (terms.limits, terms.boundsConnecting) = (limits, false)
        var response = ClientExchange.Collected()
        ClientExchange(request, to: upstream.destination(limits), on: terms, by: reactor) { event in
          response.take(event)
          switch event {
          case .end: continuation.resume(returning: (response.answer(nil), nil))
          case .failed(let failure):
            continuation.resume(returning: (response.answer(failure), failure))
          default: break
          }
        }.begin()
      }
      if !isPosted { continuation.resume(throwing: EventLoop.Stopped()) }
    }
  }

  /// Replaces the server's origin in the fields and in JSON by the recorded origin. A response may
  /// have the recorded origin with the server's scheme.
  private func named(_ answer: RecordedResult, _ recordedURL: RequestURL) -> RecordedResult {
    guard case .response(var response) = answer else { return answer }
    var told = recordedURL
    told.scheme = upstream.url.scheme
    let origins = [upstream.url.origin, told.origin].compactMap { $0 }
    for place in response.headers.indices {
      let field = response.headers[place]
      response.head.headers[place].value = OriginRenaming.rename(field, origins, to: recordedURL)
    }
    var interaction = Interaction(Request("GET", recordedURL), response)
    _ = interaction.replaceURLs(OriginURLs(origins), by: recordedURL.origin ?? "")
    return interaction.result
  }
}

extension ClientExchange.Collected {
  /// Returns the part that arrived before a failure, or the whole response if there was none.
  fileprivate func answer(_ failure: ExchangeFailure?) -> RecordedResult {
    let failure = failure.map { Failure($0.symptom) }
    guard let response else { return .failure(failure ?? Failure(.emptyAnswer)) }
    return failure.map { .cut(response, $0) } ?? .response(response)
  }
}
