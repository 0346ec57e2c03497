#if canImport(FoundationNetworking)
  internal import Foundation
#else
  public import Foundation
#endif

/// The part of a request that contains parameters.
public enum ParameterPlace: Sendable, Hashable {
  /// The query of the URL.
  case query
  /// A form as the content (WHATWG URL §5.2).
  case form
  /// A JSON object as the content.
  case json
}

extension Endpoint {
  /// Returns this endpoint with a value's fields as additional parameters.
  ///
  /// In a query or a form, the fields must be strings, numbers, Booleans, or lists of these. A list
  /// becomes several parameters with the same name. A `nil` field is omitted. A query keeps the
  /// parameters that it already has.
  ///
  /// - Throws: ``RequestError/body(_:)`` if the value has other fields.
  public func sending(
    _ value: some Encodable,
    as place: ParameterPlace
  ) throws(RequestError) -> Endpoint {
    var endpoint = self
    switch place {
    case .json: endpoint.body = try .json(value)
    case .form: endpoint.body = .form(try Parameters.fields(of: value))
    case .query:
      let own = try Parameters.fields(of: value).encoded
      endpoint.query = Query(encoded: Query.joined(query?.encoded, own))
    }
    return endpoint
  }
}

/// A middleware that adds the parameters common to all requests, such as a user's id or a token.
///
/// They are read again for each attempt.
///
/// ```swift
/// let base = BaseParameters(in: .query) { [Headers.Field("uid", session.userID)] }
/// ```
public struct BaseParameters: Middleware {
  private let place: ParameterPlace
  private let parameters: @Sendable () async throws -> [Headers.Field]

  /// Creates a middleware with a closure that returns the parameters for each attempt.
  ///
  /// In a form or in JSON, they are added to content of that media type. They are also added to
  /// requests without content, if the method allows content. Other requests are sent unchanged.
  public init(
    in place: ParameterPlace,
    _ parameters: @escaping @Sendable () async throws -> [Headers.Field]
  ) {
    (self.place, self.parameters) = (place, parameters)
  }

  /// Adds the parameters to a request.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    let fields: [Headers.Field]
    do { fields = try await parameters() } catch {
      throw MiddlewareError("The base parameters are not available: \(error)")
    }
    guard !fields.isEmpty else { return request }
    switch place {
    case .query: return inQuery(fields, of: request)
    case .form:
      guard request.takes("application/x-www-form-urlencoded") else { return request }
      return inForm(fields, of: request)
    case .json:
      guard request.takes("application/json") else { return request }
      return try inJSON(fields, of: request)
    }
  }

  private func inQuery(_ fields: [Headers.Field], of request: URLRequest) -> URLRequest {
    var request = request
    guard let url = request.url,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else { return request }
    parts.percentEncodedQuery = Query.joined(parts.percentEncodedQuery, fields.encoded)
    request.url = parts.url ?? url
    return request
  }

  private func inForm(_ fields: [Headers.Field], of request: URLRequest) -> URLRequest {
    var request = request
    let own = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
    request.httpBody = Data(Query.joined(own, fields.encoded).utf8)
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    return request
  }

  private func inJSON(
    _ fields: [Headers.Field],
    of request: URLRequest
  ) throws(MiddlewareError) -> URLRequest {
    var request = request
    let own = request.httpBody ?? Data("{}".utf8)
    do {
      let parsed = try JSONSerialization.jsonObject(with: own)
      guard var object = parsed as? [String: Any] else {
        throw MiddlewareError("Base parameters need a body that is a JSON object.")
      }
      for field in fields { object[field.name] = field.value }
      request.httpBody = try JSONSerialization.data(
        withJSONObject: object,
        options: [.sortedKeys, .withoutEscapingSlashes]
      )
    } catch {
      throw error as? MiddlewareError ?? MiddlewareError("\(error)")
    }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    return request
  }
}

extension URLRequest {
  /// Returns whether parameters can be added as content of a media type.
  fileprivate func takes(_ type: String) -> Bool {
    // Content in a file is not loaded and cannot be extended.
    if httpBodyStream != nil || value(forHTTPHeaderField: "Content-Digest") != nil { return false }
    if let own = value(forHTTPHeaderField: "Content-Type") { return own.isMediaType(type) }
    return HTTPMethod(rawValue: httpMethod ?? "GET").mayCarryContent && httpBody == nil
  }
}

/// Converts a value's fields to names and strings.
private enum Parameters {
  static func fields(of value: some Encodable) throws(RequestError) -> [Headers.Field] {
    do {
      let data = try JSONEncoder.ofRequests.encode(value)
      let fields = try JSONDecoder().decode([String: Scalar].self, from: data)
      return fields.sorted { $0.key < $1.key }.flatMap { name, scalar in
        scalar.texts.map { Headers.Field(name, $0) }
      }
    } catch {
      throw .body("\(error)")
    }
  }

  /// A string, a number or a Boolean, or a list of them.
  private struct Scalar: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() {
        var texts: [String] = []
        while !list.isAtEnd { texts += try list.decode(Scalar.self).texts }
        self.texts = texts
        return
      }
      let value = try decoder.singleValueContainer()
      // The decoder does not reveal the type, so each type is tried.
      func text(_ type: (some Decodable).Type) -> String? {
        (try? value.decode(type)).map { "\($0)" }
      }
      let plain = text(Bool.self) ?? text(Int64.self) ?? text(UInt64.self) ?? text(Decimal.self)
      texts = value.decodeNil() ? [] : [try plain ?? value.decode(String.self)]
    }
  }
}
