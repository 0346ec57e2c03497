public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A middleware that seals the content of requests and opens that of answers, end to end within
/// TLS, by any ``AEAD``.
///
/// A request for a sealed path names the seal in the field `Sealing: 1;key=…`, with content or
/// without, and its content is the nonce, the sealed text and its tag. So is an answer's, with the
/// same field. What is sealed is bound to the direction, the method, the path as it is sent and the
/// content type: with line feeds between, `request` or `answer` with its status as in `answer 200`,
/// the method, the path, and the value of `Content-Type`. The query is bound to nothing, since its
/// parameters may be others when a recording is played: what an answer is about belongs into it.
///
/// Each attempt has a nonce of its own. Before a ``RequestSigner`` in the client's list, the sealed
/// content is what is signed. The client's cache holds what was opened; a ``DiskStore`` with a
/// cipher keeps it sealed on the disk. Recordings hold what was sealed, and can be played to
/// whoever has the key.
///
/// An answer below 400 that is not sealed, or does not open, ends the call, and nobody decodes it;
/// without content are answers to `HEAD` and of status 204, 205 and 304. Of one from 400 on that is
/// not sealed, such as a gateway's, the status counts and the content is dropped.
public struct SealingMiddleware: Middleware {
  /// The name of the header field.
  public static let field = "Sealing"

  private let cipher: any AEAD
  private let mark: String
  private let paths: [[String]]?
  private let nonce: @Sendable (Int) -> Data

  /// Makes a middleware of a cipher.
  ///
  /// - Parameters:
  ///   - cipher: The cipher, with a key that the server has, too.
  ///   - key: The name by which the server knows the key: letters, digits, hyphens, underscores and
  ///     dots.
  ///   - paths: The sealed endpoints by the ends of their paths, with `{…}` for a segment that
  ///     changes, as in `/users/{id}`, whatever path the base URL has; `nil`: all are sealed.
  ///   - nonce: Draws a nonce of so many bytes; no two may be equal.
  public init(
    _ cipher: any AEAD,
    key: String,
    paths: [String]? = nil,
    nonce: (@Sendable (Int) -> Data)? = nil
  ) {
    self.cipher = cipher
    mark = "1;key=\(key)"
    self.paths = paths?.map(Self.segments)
    self.nonce = nonce ?? { .random($0) }
  }

  /// Seals the content of a request for a sealed path.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    guard let path = sealedPath(of: request) else { return request }
    guard request.httpBodyStream == nil else {
      throw MiddlewareError("The content for \(path) is a stream, which cannot be sealed.")
    }
    var request = request
    request.setValue(mark, forHTTPHeaderField: Self.field)
    guard let content = request.httpBody, !content.isEmpty else {
      // This stands for content that is in a file.
      guard request.value(forHTTPHeaderField: "Content-Digest") == nil else {
        throw MiddlewareError(
          "The content for \(path) is in a file, which cannot be sealed; send it as data."
        )
      }
      return request
    }
    do throws(SealingError) {
      let nonce = nonce(cipher.nonceBytes)
      let context = Self.context(
        "request",
        request,
        path,
        request.value(forHTTPHeaderField: "Content-Type")
      )
      request.httpBody =
        nonce + (try cipher.seal(content, nonce: nonce, authenticating: context))
    } catch {
      throw MiddlewareError("The content for \(path) cannot be sealed: \(error)")
    }
    return request
  }

  /// Opens the content of an answer to a request for a sealed path.
  public func incoming(
    _ answer: HTTPAnswer,
    to request: URLRequest
  ) async throws(MiddlewareError) -> HTTPAnswer {
    // By what was sent, whatever has become of the path since.
    guard request.value(forHTTPHeaderField: Self.field) == mark, let path = Self.path(of: request)
    else { return answer }
    var answer = answer
    guard answer.headers[Self.field] == mark else {
      if answer.status < 400, !Self.isWithoutContent(answer, request) {
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
    if Self.isWithoutContent(answer, request) {
      answer.body = Data()
      return answer
    }
    do throws(SealingError) {
      let context = Self.context(
        "answer \(answer.status)",
        request,
        path,
        answer.headers["Content-Type"]
      )
      answer.body = try cipher.open(answer.body, authenticating: context)
      return answer
    } catch {
      throw MiddlewareError("The answer for \(path) was not looked at. \(error)")
    }
  }

  private static func isWithoutContent(_ answer: HTTPAnswer, _ request: URLRequest) -> Bool {
    [204, 205, 304].contains(answer.status) || request.httpMethod == "HEAD"
  }

  private static func context(
    _ direction: String,
    _ request: URLRequest,
    _ path: String,
    _ type: String?
  ) -> Data {
    let parts = [direction, request.httpMethod ?? "GET", path, type ?? ""]
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
