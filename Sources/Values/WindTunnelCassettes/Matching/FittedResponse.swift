internal import Foundation

/// A recorded response, adapted to a request that differs in fields that no matcher compares (RFC
/// 9110 §12.5.3, §13.2, §9.3.2).
package struct FittedResponse: Sendable {
  /// A change to a recorded response.
  package enum Change: Sendable, Hashable, CustomStringConvertible {
    /// A 304, because a validator in the given field shows that the client already has the
    /// response.
    case notModified(field: String)
    /// The body without its content coding, because the client does not accept the coding.
    case decoded(String)
    /// The body without its content coding, because a fault changes its content.
    case opened(String)
    /// The body in a content coding that the client does not accept but that cannot be decoded.
    case undecodable(String)
    /// Only the head of a response to GET.
    case headAlone

    /// The predicate of a sentence about the change, which begins with "is played".
    package var description: String {
      switch self {
      case .notModified(let field):
        "is played as 304 Not Modified: its validator meets the request's \(field)"
      case .decoded(let coding):
        "is played decoded: the request does not accept its coding, \(coding)"
      case .opened(let coding):
        "is played decoded: a version cannot be created from a body in \(coding)"
      case .undecodable(let coding):
        "is played in \(coding), which the request does not accept and which cannot be decoded"
      case .headAlone: "is played without its body: it was recorded for GET"
      }
    }
  }

  /// The interaction with the adapted response.
  package private(set) var interaction: Interaction
  /// The changes to the recorded response; empty if it is played unchanged.
  package private(set) var changes: [Change] = []

  /// Adapts a recording to a request.
  ///
  /// - Parameters:
  ///   - interaction: The recording.
  ///   - request: The request to which it is played.
  ///   - isVersioned: Whether a version of the body is created next, which needs a decoded body and
  ///     has its own validators.
  package init(_ interaction: Interaction, to request: Request, isVersioned: Bool = false) {
    self.interaction = interaction
    guard case .response(var response) = interaction.result else { return }
    if !isVersioned, let field = Self.conditionMet(interaction.request, request, response) {
      response = Response(status: 304, headers: response.headers.ofNotModified)
      take(response, .notModified(field: field))
      return
    }
    let codings = response.headers.codings.joined(separator: ", ")
    if !codings.isEmpty, response.status != 206, response.body.count > 0,
      isVersioned || Self.refusesCoding(interaction.request, request, response)
    {
      if let decoded = response.decoded {
        response = decoded
        take(response, isVersioned ? .opened(codings) : .decoded(codings))
      } else if !isVersioned {
        changes.append(.undecodable(codings))
      }
    }
    guard request.method == "HEAD", interaction.request.method == "GET" else { return }
    // The length is that of the response to a GET (RFC 9110 §8.6).
    if response.headers["Transfer-Encoding"] == nil,
      !Response.hasNoContent(method: "GET", status: response.status)
    {
      response.head.headers["Content-Length"] = String(response.body.count)
    }
    response.body = .empty
    take(response, .headAlone)
  }

  private mutating func take(_ response: Response, _ change: Change) {
    interaction.result = .response(response)
    // The chunks of the recorded body do not apply to the new one.
    interaction.timing?.chunks = []
    changes.append(change)
  }

  /// Returns the field which shows that the client already has the response; otherwise `nil`.
  ///
  /// Also `nil` if the recorded request has the same conditions, because then the origin has
  /// already decided.
  private static func conditionMet(
    _ recorded: Request,
    _ asked: Request,
    _ response: Response
  ) -> String? {
    guard response.status == 200, ["GET", "HEAD"].contains(asked.method) else { return nil }
    let conditions = Conditions(asked.headers)
    guard !conditions.isEmpty, conditions != Conditions(recorded.headers) else { return nil }
    return conditions.fieldMet(by: response.headers)
  }

  /// Whether a client does not accept the coding of a response. `false` if the recorded request has
  /// the same `Accept-Encoding`, because then the origin has already decided.
  private static func refusesCoding(
    _ recorded: Request,
    _ asked: Request,
    _ response: Response
  ) -> Bool {
    let name = "Accept-Encoding"
    return asked.headers.values(name) != recorded.headers.values(name)
      && !response.headers.codings.allSatisfy {
        Inflate.unchanging.contains($0) || asked.headers.accepts(coding: $0)
      }
  }

  /// Whether a recording may have to be adapted to a request. A fast check that may return `true`
  /// unnecessarily.
  package static func isNeeded(
    _ interaction: Interaction,
    to request: Request,
    _ traits: RequestTraits
  ) -> Bool {
    if traits.contains(.condition) { return true }
    if request.method == "HEAD" { return interaction.request.method == "GET" }
    return traits.contains(.coding) && interaction.response?.headers["Content-Encoding"] != nil
  }
}

/// The presence of request fields that affect the form of a recorded response.
package struct RequestTraits: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
  /// `Range` or `Last-Event-ID`, which request a part.
  package static let part = RequestTraits(rawValue: 1)
  /// `If-None-Match` or `If-Modified-Since`, which state a condition.
  package static let condition = RequestTraits(rawValue: 2)
  /// `Accept-Encoding`, which may exclude a coding.
  package static let coding = RequestTraits(rawValue: 4)

  /// Reads every field only once, because this runs for every request.
  package init(_ headers: HeaderFields) {
    self = []
    for field in headers {
      switch field.name.utf8.count {
      case 5: if field.isNamed("Range") { insert(.part) }
      case 13:
        if field.isNamed("Last-Event-ID") { insert(.part) }
        if field.isNamed("If-None-Match") { insert(.condition) }
      case 15: if field.isNamed("Accept-Encoding") { insert(.coding) }
      case 17: if field.isNamed("If-Modified-Since") { insert(.condition) }
      default: break
      }
    }
  }
}

extension Response {
  /// The response without its content codings; `nil` if they cannot be decoded.
  ///
  /// A strong entity tag identifies the bytes of one coding, so it becomes weak (RFC 9110 §8.8.3).
  /// Digests of the encoded bytes are removed.
  fileprivate var decoded: Response? {
    // A body that cannot be decoded is played unchanged, which is reported.
    let coding = headers.codings.joined(separator: ", ")
    let opened = Inflate.opened(body.data, coding: coding)
    guard let opened, opened.isDecoded else { return nil }
    var decoded = self
    decoded.body = Body(opened.content)
    decoded.head.headers.remove("Content-Encoding")
    decoded.head.headers.follow(bodyGrowth: 0)
    decoded.head.trailers.follow(bodyGrowth: 0)
    if headers["Content-Length"] != nil {
      decoded.head.headers["Content-Length"] = String(opened.content.count)
    }
    if let tag = headers["ETag"], tag.hasPrefix("\"") { decoded.head.headers["ETag"] = "W/\(tag)" }
    return decoded
  }
}

extension HeaderFields {
  /// The content codings, in the order in which they were applied (RFC 9110 §8.4).
  fileprivate var codings: [String] {
    elements("Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
  }

  /// Whether a response to these fields may have a content coding (RFC 9110 §12.5.3). Without
  /// `Accept-Encoding`, any coding is accepted.
  package func accepts(coding: String) -> Bool {
    if self["Accept-Encoding"] == nil { return true }
    var ofAny = false
    for (_, name, isAccepted) in askedCodings {
      // `gzip` and `x-gzip` are equivalent, and so are `compress` and `x-compress` (RFC 9110
      // §8.4.1).
      if name == coding || "x-\(name)" == coding || name == "x-\(coding)" { return isAccepted }
      if name == "*" { ofAny = isAccepted }
    }
    return ofAny
  }

  /// The fields of a 304 that replaces a response with these fields (RFC 9110 §15.4.5), without the
  /// fields that describe the content.
  fileprivate var ofNotModified: HeaderFields {
    var gone = [
      "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Range",
      "Transfer-Encoding", "Trailer", "Accept-Ranges",
    ]
    // `Last-Modified` is only useful if there is no entity tag.
    if self["ETag"] != nil { gone.append("Last-Modified") }
    var kept = self
    for name in gone { kept.remove(name) }
    kept.follow(bodyGrowth: 0)
    return kept
  }
}
