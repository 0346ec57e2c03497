public import Foundation
public import WindTunnelNetworkLayer

/// A middleware that encrypts request content and decrypts response content with any `AEAD`.
///
/// The encryption is end to end, within TLS. A request for a sealed path has the header field
/// `Sealing: 2;key=…`, and its content is the nonce, the ciphertext and its tag. A response has the
/// same field and format.
///
/// A message without content has the nonce, ciphertext and tag of an empty text in the field, in
/// base64: `Sealing: 2;key=…;proof=:…:`. That applies to a `GET`, to a response to `HEAD`, and to
/// the statuses 204, 205 and 304 (RFC 9110 §6.4.1).
///
/// The associated data has these parts, separated by line feeds:
///
/// - the version `2`
/// - `request`, or `answer` and the status, such as `answer 200`
/// - the method
/// - the path as it is sent
/// - the query items as they are sent, sorted by their bytes and joined by `&`
/// - the value of `Content-Type`
///
/// Middleware after this one in the client's list must not change these parts.
///
/// Each attempt has its own nonce. A later `RequestSigner` in the client's list signs the encrypted
/// content. The client's cache contains decrypted responses, which a `DiskStore` with a cipher
/// encrypts on disk. Recordings contain encrypted content. They can be replayed to any client with
/// the key, for the recorded query apart from unbound items.
///
/// A response below 400 that is not sealed, or that cannot be decrypted, ends the call and is not
/// decoded. An intermediary inside TLS therefore cannot make a call succeed without the server. For
/// an unsealed response from 400 on, such as a gateway's, the status counts and the content is
/// dropped. An intermediary can therefore make a call fail, as it could by closing the connection.
///
/// Two properties are protected by TLS alone: header fields other than `Content-Type`, and the
/// freshness of a response. A response to an earlier, equal request decrypts again, because
/// recordings could not be replayed otherwise. If that matters, the app adds a unique number to the
/// query of each call.
public struct SealingMiddleware: Middleware {
  /// The name of the header field.
  public static let field = "Sealing"

  private let cipher: any AEAD
  private let mark: String
  private let paths: [[String]]?
  private let unbound: Set<String>
  private let nonce: @Sendable (Int) -> Data

  /// Creates a middleware with a cipher.
  ///
  /// - Parameters:
  ///   - cipher: The cipher, with a key that the server also has.
  ///   - key: The name by which the server knows the key: letters, digits, hyphens, underscores and
  ///     dots.
  ///   - paths: The sealed endpoints by the ends of their paths, for any path of the base URL.
  ///     `{…}` is a variable segment, as in `/users/{id}`; `nil` seals all paths.
  ///   - unbound: The names of query items that may differ when a recording is replayed, such as a
  ///     time or a token, as they are sent. They are not authenticated: an intermediary may change
  ///     them.
  ///   - nonce: Returns a nonce with a number of bytes; no two may be equal.
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

  /// Encrypts the content of a request for a sealed path, or adds a proof that it has none.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    guard let path = sealedPath(of: request) else { return request }
    guard request.httpBodyStream == nil else {
      throw MiddlewareError("The content for \(path) is a stream, which cannot be sealed.")
    }
    var request = request
    let content = request.httpBody ?? Data()
    // This field means that the content is in a file.
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

  /// Decrypts the content of a response to a request for a sealed path, or verifies its proof.
  public func incoming(
    _ answer: ServerResponse,
    to request: URLRequest
  ) async throws(MiddlewareError) -> ServerResponse {
    // The request that was sent decides, even if its path has changed since.
    guard seal(request.value(forHTTPHeaderField: Self.field)) != nil,
      let path = Self.path(of: request)
    else { return answer }
    var answer = answer
    guard let seal = seal(answer.headers[Self.field]) else {
      if answer.status < 400 {
        throw MiddlewareError(
          "The response for \(path) is not sealed as \"\(mark)\", so its sender is unknown; it "
            + "was discarded."
        )
      }
      answer.body = Data()
      return answer
    }
    guard answer.bytesElsewhere == nil else {
      throw MiddlewareError(
        "The response for \(path) is sealed, which a download or a stream cannot open; call it."
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
      throw MiddlewareError("The response for \(path) was discarded. \(error)")
    }
  }

  /// The location of the ciphertext.
  private enum Seal {
    /// The message's content is the ciphertext.
    case content
    /// The field contains the ciphertext, because there is no content.
    case proof(Data)
  }

  private static let proofStart = ";proof=:"

  /// Parses the field; `nil` if it is not a seal with this key.
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

  /// Returns the path as it is sent; `nil` if it is not sealed.
  ///
  /// Templates are compared with the end of the unescaped path. In case of doubt, a path is sealed.
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
