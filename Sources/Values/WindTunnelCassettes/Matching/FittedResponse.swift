internal import Foundation

/// A recorded response in the form that suits a request which differs from the recorded one in
/// fields that no matcher compares (RFC 9110 §12.5.3, §13.2, §9.3.2).
package struct FittedResponse: Sendable {
  /// A change to a recorded response.
  package enum Change: Sendable, Hashable, CustomStringConvertible {
    /// A 304, since the client has the response already by the validator that a field names.
    case notModified(field: String)
    /// The body without the content coding, which the client does not accept.
    case decoded(String)
    /// The body without the content coding, since a fault changes its content.
    case opened(String)
    /// The body in a content coding that the client does not accept and that cannot be decoded.
    case undecodable(String)
    /// The head alone of a response to GET.
    case headAlone

    /// The predicate of a sentence about the change, which begins with "is played".
    package var description: String {
      switch self {
      case .notModified(let field):
        "is played as 304 Not Modified: its validator meets the request's \(field)"
      case .decoded(let coding):
        "is played decoded: the request does not accept \(coding), in which it was recorded"
      case .opened(let coding): "is played decoded: a version cannot be made of a body in \(coding)"
      case .undecodable(let coding):
        "is played in \(coding), which the request does not accept and which cannot be decoded"
      case .headAlone: "is played without its body: it was recorded for GET"
      }
    }
  }

  /// The interaction with the response that is played.
  package private(set) var interaction: Interaction
  /// The changes to the recorded response; empty if it is played as it was recorded.
  package private(set) var changes: [Change] = []

  /// Fits a recording to a request.
  ///
  /// - Parameters:
  ///   - interaction: The recording.
  ///   - request: The request that it is played to.
  ///   - isVersioned: Whether a version is made of the body next, which needs it decoded and has
  ///     validators of its own.
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
    // The length is that of the body which a GET gets (RFC 9110 §8.6).
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
    // Pieces of another body are none of this one's.
    interaction.timing?.chunks = []
    changes.append(change)
  }

  /// Returns the field by which a client has a response already. If the recorded request has the
  /// same conditions, the origin has decided already, and the result is `nil`.
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

  /// Whether a client does not accept the coding of a response. If the recorded request has the
  /// same `Accept-Encoding`, the origin has decided already, and the result is false.
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

  /// Whether a recording may have to be fitted to a request: a quick check that errs towards true.
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

/// The fields of a request that decide in which form it gets a recorded response.
package struct RequestTraits: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
  /// `Range` or `Last-Event-ID`, which ask for a part.
  package static let part = RequestTraits(rawValue: 1)
  /// `If-None-Match` or `If-Modified-Since`, which state a condition.
  package static let condition = RequestTraits(rawValue: 2)
  /// `Accept-Encoding`, which may refuse a coding.
  package static let coding = RequestTraits(rawValue: 4)

  /// Looks at every field once, since every request is looked at.
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
  /// A strong entity tag names the bytes of one coding, so that it is a weak one without the coding
  /// (RFC 9110 §8.8.3), and a digest names bytes that are no longer there.
  fileprivate var decoded: Response? {
    // What cannot be decoded is played as it was recorded, and named.
    let coding = headers.codings.joined(separator: ", ")
    guard let data = Inflate.open(body.data, coding: coding) else { return nil }
    var decoded = self
    decoded.body = Body(data)
    decoded.head.headers.remove("Content-Encoding")
    decoded.head.headers.follow(bodyGrowth: 0)
    decoded.head.trailers.follow(bodyGrowth: 0)
    if headers["Content-Length"] != nil {
      decoded.head.headers["Content-Length"] = String(data.count)
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

  /// Whether a response to these fields may be in a content coding (RFC 9110 §12.5.3). Without
  /// `Accept-Encoding` it may be in any.
  package func accepts(coding: String) -> Bool {
    if self["Accept-Encoding"] == nil { return true }
    var ofAny = false
    for (_, name, isAccepted) in askedCodings {
      // RFC 9110 §8.4.1.3: the two names are one.
      if name == coding || "x-\(name)" == coding || name == "x-\(coding)" { return isAccepted }
      if name == "*" { ofAny = isAccepted }
    }
    return ofAny
  }

  /// The fields of a 304 in place of a response with these (RFC 9110 §15.4.5), without the fields
  /// that describe the content.
  fileprivate var ofNotModified: HeaderFields {
    var gone = [
      "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Range",
      "Transfer-Encoding", "Trailer", "Accept-Ranges",
    ]
    // A date is of use without a tag only.
    if self["ETag"] != nil { gone.append("Last-Modified") }
    var kept = self
    for name in gone { kept.remove(name) }
    kept.follow(bodyGrowth: 0)
    return kept
  }
}
