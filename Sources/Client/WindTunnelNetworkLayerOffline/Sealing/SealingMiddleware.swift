public import Foundation
public import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A middleware that seals the content of requests and opens that of answers, end to end within
/// TLS, by any `AEAD`.
///
/// A request for a sealed path names the seal in the field `Sealing: 2;key=…`, and its content is
/// the nonce, the sealed text and its tag. So is an answer's, with the same field. What has no
/// content – a `GET`, an answer to `HEAD` or of status 204, 205 or 304 (RFC 9110 §6.4.1) – has
/// those of an empty text in the field, in base64: `Sealing: 2;key=…;proof=:…:`.
///
/// What is sealed is bound, with line feeds between, to the version `2`, to `request` or to
/// `answer` with its status as in `answer 200`, to the method, the path as it is sent, the items of
/// the query as they are sent, in the order of their bytes and with `&` between, and to the value
/// of `Content-Type`. Behind this middleware in the client's list none may change those.
///
/// Each attempt has a nonce of its own. Before a `RequestSigner` in the client's list, the sealed
/// content is what is signed. The client's cache holds what was opened; a `DiskStore` with a
/// cipher keeps it sealed on the disk. Recordings hold what was sealed, and can be played to
/// whoever has the key: for the query that was recorded, but for the items that are bound to
/// nothing.
///
/// An answer below 400 that is not sealed, or does not open, ends the call, and nobody decodes it:
/// so whoever is on the way, within TLS, makes no call succeed that the server has not answered. Of
/// one from 400 on that is not sealed, such as a gateway's, the status counts and the content is
/// dropped: a call can be made to fail, as by cutting it off. Two things are not held here but by
/// TLS: the header fields, `Content-Type` apart, and that an answer is a new one. One that the
/// server gave to an equal request before opens again, since recordings could not be played
/// otherwise; where that matters, the app puts a number of its own into the query of each call.
public struct SealingMiddleware: Middleware {
  /// The name of the header field.
  public static let field = "Sealing"

  private let cipher: any AEAD
  private let mark: String
  private let paths: [[String]]?
  private let unbound: Set<String>
  private let nonce: @Sendable (Int) -> Data

  /// Makes a middleware of a cipher.
  ///
  /// - Parameters:
  ///   - cipher: The cipher, with a key that the server has, too.
  ///   - key: The name by which the server knows the key: letters, digits, hyphens, underscores and
  ///     dots.
  ///   - paths: The sealed endpoints by the ends of their paths, with `{…}` for a segment that
  ///     changes, as in `/users/{id}`, whatever path the base URL has; `nil`: all are sealed.
  ///   - unbound: The names of query items that may be others when a recording is played, such as a
  ///     time or a token, as they are sent. They are bound to nothing: whoever is on the way may
  ///     change them.
  ///   - nonce: Draws a nonce of so many bytes; no two may be equal.
  public init(
    _ cipher: any AEAD,
    key: String,
    paths: [String]? = nil,
    unbound: Set<String> = [],
    nonce: (@Sendable (Int) -> Data)? = nil
  ) {
    self.cipher = cipher
    mark = "2;key=\(key)"
    self.paths = paths?.map(Self.segments)
    self.unbound = unbound
    self.nonce = nonce ?? { .random($0) }
  }

  /// Seals the content of a request for a sealed path, or proves that it has none.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    guard let path = sealedPath(of: request) else { return request }
    guard request.httpBodyStream == nil else {
      throw MiddlewareError("The content for \(path) is a stream, which cannot be sealed.")
    }
    var request = request
    let content = request.httpBody ?? Data()
    // This stands for content that is in a file.
    guard !content.isEmpty || request.value(forHTTPHeaderField: "Content-Digest") == nil else {
      throw MiddlewareError(
        "The content for \(path) is in a file, which cannot be sealed; send it as data."
      )
    }
    let sealed: Data
    do throws(SealingError) {
      let nonce = nonce(cipher.nonceBytes)
      let type = request.value(forHTTPHeaderField: "Content-Type")
      let context = context("request", request, path, type)
      sealed = nonce + (try cipher.seal(content, nonce: nonce, authenticating: context))
    } catch {
      throw MiddlewareError("The content for \(path) cannot be sealed: \(error)")
    }
    if content.isEmpty {
      request.setValue(
        "\(mark)\(Self.proofStart)\(sealed.base64EncodedString()):",
        forHTTPHeaderField: Self.field
      )
    } else {
      request.setValue(mark, forHTTPHeaderField: Self.field)
      request.httpBody = sealed
    }
    return request
  }

  /// Opens the content of an answer to a request for a sealed path, or its proof.
  public func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse {
    // By what was sent, whatever has become of the path since.
    guard seal(request.value(forHTTPHeaderField: Self.field)) != nil,
      let path = Self.path(of: request)
    else { return answer }
    var answer = answer
    guard let seal = seal(answer.headers[Self.field]) else {
      if answer.status < 400 {
        throw MiddlewareError(
          "The answer for \(path) is not sealed as \"\(mark)\", so that anybody may have made it; it "
            + "was not looked at."
        )
      }
      answer.body = Data()
      return answer
    }
    guard answer.bytesElsewhere == nil else {
      throw MiddlewareError(
        "The answer for \(path) is sealed, which a download or a stream cannot open; call it."
      )
    }
    do throws(SealingError) {
      let type = answer.headers["Content-Type"]
      let context = context("answer \(answer.status)", request, path, type)
      switch seal {
      case .content: answer.body = try cipher.open(answer.body, authenticating: context)
      case .proof(let proof):
        guard answer.body.isEmpty, try cipher.open(proof, authenticating: context).isEmpty else {
          throw .tampered
        }
      }
      return answer
    } catch {
      throw MiddlewareError("The answer for \(path) was not looked at. \(error)")
    }
  }

  /// The place of what was sealed.
  private enum Seal {
    /// The content itself, sealed.
    case content
    /// The field, since there is no content.
    case proof(Data)
  }

  private static let proofStart = ";proof=:"

  /// Reads the field; `nil` where it is no seal of this key.
  private func seal(_ field: String?) -> Seal? {
    guard let field, field.hasPrefix(mark) else { return nil }
    let rest = field.dropFirst(mark.count)
    if rest.isEmpty { return .content }
    guard rest.hasPrefix(Self.proofStart), rest.hasSuffix(":") else { return nil }
    let text = rest.dropFirst(Self.proofStart.count).dropLast()
    return Data(base64Encoded: String(text)).map(Seal.proof)
  }

  private func context(
    _ direction: String,
    _ request: URLRequest,
    _ path: String,
    _ type: String?
  ) -> Data {
    let url = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
    let items = (url?.percentEncodedQuery ?? "").split(separator: "&").filter { item in
      !unbound.contains(String(item.prefix { $0 != "=" }))
    }
    let query = items.sorted().joined(separator: "&")
    let parts = ["2", direction, request.httpMethod ?? "GET", path, query, type ?? ""]
    return Data(parts.joined(separator: "\n").utf8)
  }

  /// Returns the path as it is sent.
  private static func path(of request: URLRequest) -> String? {
    request.url.flatMap {
      URLComponents(url: $0, resolvingAgainstBaseURL: false)?.percentEncodedPath
    }
  }

  private static func segments(of path: String) -> [String] {
    path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
  }

  /// Returns the path as it is sent; `nil` where it is not sealed. Rather too much is sealed than
  /// too little: templates are held against the end of the path, without its escapes.
  private func sealedPath(of request: URLRequest) -> String? {
    guard let path = Self.path(of: request) else { return nil }
    guard let paths else { return path }
    let segments = Self.segments(of: path)
    let isSealed = paths.contains { template in
      template.count <= segments.count
        && zip(template, segments.suffix(template.count)).allSatisfy { part, segment in
          part == segment || part.hasPrefix("{") && part.hasSuffix("}")
        }
    }
    return isSealed ? path : nil
  }
}
