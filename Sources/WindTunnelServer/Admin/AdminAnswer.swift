internal import Foundation
internal import WindTunnel

/// Answers the questions of the admin port, out of nothing but what it is shown.
struct AdminAnswer: Sendable {
  var response: Response
  var change: AdminChange?

  private static let routes: [(method: String, path: String)] = [
    ("GET", "/health"), ("GET", "/requests"), ("GET", "/interactions"), ("POST", "/verify"),
    ("POST", "/reset"), ("GET", "/scenario"), ("PUT", "/scenario"), ("GET", "/metrics"),
  ]

  init(
    to request: Request,
    seeing server: AdminSnapshot,
    refusing refusal: ((Scenario) -> String?)? = nil
  ) {
    if let problem = Self.strangeness(of: request) {
      response = .problem(403, problem)
      return
    }
    let path = request.url.path
    // RFC 9110 §9.3.2: a HEAD is a GET whose content stays here.
    let method = request.method == "HEAD" ? "GET" : request.method
    do throws(FormatError) {
      switch (method, path) {
      case ("GET", "/health"): response = .json(server.health)
      case ("GET", "/requests"):
        response = .json(server.requests(try RequestFilter(query: request.url.query)))
      case ("GET", "/interactions"): response = .json(server.plays)
      case ("GET", "/scenario"): response = .json(server.weather)
      case ("GET", "/metrics"): response = .metrics(server.metrics)
      case ("POST", "/verify"): response = try Self.verify(request, server)
      case ("POST", "/reset"):
        response = Response(status: 204)
        change = .reset
      case ("PUT", "/scenario"):
        let order = try ScenarioOrder(data: request.body.data, among: server.shipped)
        if let reason = refusal?(order.scenario) {
          response = .problem(400, reason)
          return
        }
        var after = server
        (after.scenario, after.seed) = (order.scenario, order.seed ?? server.seed)
        response = .json(after.weather)
        change = .fly(order)
      default: response = Self.lost(method, path)
      }
    } catch {
      response = .problem(400, "\(error)")
    }
  }

  private static func verify(
    _ request: Request,
    _ server: AdminSnapshot
  ) throws(FormatError) -> Response {
    let question = try RequestQuestion(data: request.body.data)
    guard question.isTold(by: server.log) else {
      return .problem(
        409,
        "The requests up to number \(server.log.droppedThrough) are no longer kept, "
          + "\(RequestLog.entriesMax) at most are; ask \"since\" that number, or reset before."
      )
    }
    return .json(question.answer(from: server.log))
  }

  private static func lost(_ method: String, _ path: String) -> Response {
    let methods = routes.filter { $0.path == path }.map(\.method)
    guard methods.isEmpty else {
      var response = Response.problem(
        405,
        "\(path) is asked by \(methods.joined(separator: " or ")), not by \(method)."
      )
      response.head.headers["Allow"] = methods.joined(separator: ", ")
      return response
    }
    let all = routes.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
    return .problem(404, "There is no \(path) here. There are \(all).")
  }

  /// The reason why a request is none of this machine's own.
  private static func strangeness(of request: Request) -> String? {
    let stranger = OriginPolicy()
      .stranger(in: request.headers, askedAs: request.headers["Host"] ?? "")
    return switch stranger {
    case nil: nil
    case .host(let host):
      "This port is asked by 127.0.0.1, [::1] or localhost, and not by \"\(host)\"."
    case .page(let origin): "This port does not answer pages of \"\(origin)\"."
    }
  }
}

extension Response {
  static func json(_ value: JSON, status: Int = 200) -> Response {
    let layout = JSON.Layout(.spaced, endsWithNewline: true)
    return Response(
      status: status,
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: Body(Data(value.bytes(layout)))
    )
  }

  /// Answers with what is wrong with a question, in a sentence.
  static func problem(_ status: Int, _ sentence: String) -> Response {
    .json(["error": .text(sentence)], status: status)
  }

  fileprivate static func metrics(_ text: String) -> Response {
    Response(headers: ["Content-Type": "text/plain; version=0.0.4"], body: Body(text))
  }
}
