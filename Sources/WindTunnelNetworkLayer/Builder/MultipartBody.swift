public import Foundation

/// Content of several parts, such as that of a form with files (RFC 7578).
public struct MultipartBody: Sendable, Hashable {
  /// One part of the content.
  public struct Part: Sendable, Hashable {
    /// The name of the form's field.
    public var name: String
    /// The name of the file; `nil` where the part is not a file.
    public var fileName: String?
    /// The media type; `nil`: none is sent, which means plain text (§4.4).
    public var contentType: String?
    /// The bytes of the part.
    public var content: Data

    /// Makes a part of a field with a text.
    public init(_ name: String, _ text: String) {
      self.name = name
      content = Data(text.utf8)
    }

    /// Makes a part of a file.
    public init(_ name: String, fileName: String, contentType: String, _ content: Data) {
      self.name = name
      self.fileName = fileName
      self.contentType = contentType
      self.content = content
    }
  }

  /// The parts in order.
  public var parts: [Part]

  /// Makes content of parts in order.
  public init(_ parts: [Part]) { self.parts = parts }

  /// The value of `Content-Type`.
  public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The parts with their boundaries, as they are sent.
  public var data: Data {
    let boundary = boundary
    var data = Data()
    for part in parts {
      var head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let name = part.fileName { head += "; filename=\"\(Self.quoted(name))\"" }
      if let type = part.contentType { head += "\r\nContent-Type: \(Self.line(type))" }
      data += Data("\(head)\r\n\r\n".utf8) + part.content + Data("\r\n".utf8)
    }
    return data + Data("--\(boundary)--\r\n".utf8)
  }

  /// A line that occurs in no part (RFC 2046 §5.1.1); the same parts have the same one.
  private var boundary: String {
    var number = 0
    while true {
      let boundary = "part-boundary-\(number)"
      let line = Data("--\(boundary)".utf8)
      if parts.allSatisfy({ $0.content.range(of: line) == nil }) { return boundary }
      number += 1
    }
  }

  /// As browsers escape names (RFC 7578 §4.2 leaves it to them).
  private static func quoted(_ text: String) -> String {
    text.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
      .replacingOccurrences(of: "\"", with: "%22")
  }

  /// A header ends where the line ends.
  private static func line(_ text: String) -> String {
    text.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
  }
}

extension Endpoint {
  /// Returns this endpoint with parts as its content.
  public func with(_ body: MultipartBody) -> Endpoint {
    var endpoint = self
    endpoint.body = body.data
    endpoint.headers["Content-Type"] = body.contentType
    return endpoint
  }
}
