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
    public var content: Content

    /// The bytes of a part, or the place where they are.
    public enum Content: Sendable, Hashable {
      /// The bytes themselves, in memory.
      case data(Data)
      /// The bytes of a file, which are never in memory as a whole.
      case file(URL)
    }

    /// Makes a part of a field with a text.
    public init(_ name: String, _ text: String) {
      self.name = name
      content = .data(Data(text.utf8))
    }

    /// Makes a part of a file's bytes.
    public init(_ name: String, fileName: String, contentType: String, _ content: Data) {
      self.init(name, fileName, contentType, .data(content))
    }

    /// Makes a part of a file.
    ///
    /// - Parameters:
    ///   - name: The name of the form's field.
    ///   - file: The file.
    ///   - fileName: The name that the server is told; `nil`: the file's own.
    ///   - contentType: The media type.
    public init(_ name: String, file: URL, fileName: String? = nil, contentType: String) {
      self.init(name, fileName ?? file.lastPathComponent, contentType, .file(file))
    }

    private init(_ name: String, _ fileName: String, _ type: String, _ content: Content) {
      (self.name, self.fileName, contentType, self.content) = (name, fileName, type, content)
    }
  }

  /// The parts in order.
  public var parts: [Part]

  /// Makes content of parts in order.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Tells whether all parts are in memory.
  var isInMemory: Bool {
    parts.allSatisfy { if case .data = $0.content { true } else { false } }
  }

  /// Writes the parts with their boundaries, as they are sent.
  ///
  /// - Parameters:
  ///   - boundary: A line that occurs in no part.
  ///   - take: Takes the bytes piece by piece.
  /// - Throws: The error of a file that cannot be read.
  func write(separatedBy boundary: String, to take: (Data) throws -> Void) throws {
    for part in parts {
      var head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let name = part.fileName { head += "; filename=\"\(Self.quoted(name))\"" }
      if let type = part.contentType { head += "\r\nContent-Type: \(Self.line(type))" }
      try take(Data("\(head)\r\n\r\n".utf8))
      try part.content.pass(to: take)
      try take(Data("\r\n".utf8))
    }
    try take(Data("--\(boundary)--\r\n".utf8))
  }

  /// Returns a line that occurs in no part (RFC 2046 §5.1.1); the same parts have the same one.
  ///
  /// - Throws: The error of a file that cannot be read.
  func boundary() throws -> String {
    var number = 0
    while true {
      let boundary = "part-boundary-\(number)"
      let line = Data("--\(boundary)".utf8)
      if try !parts.contains(where: { try $0.content.contains(line) }) { return boundary }
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

extension MultipartBody.Part.Content {

  /// Passes the bytes on, piece by piece.
  fileprivate func pass(to take: (Data) throws -> Void) throws {
    switch self {
    case .data(let data): try take(data)
    case .file(let file): try file.read(take)
    }
  }

  fileprivate func contains(_ line: Data) throws -> Bool {
    var isThere = false
    var end = Data()
    try pass { piece in
      guard !isThere else { return }
      // It may begin in one piece and end in the next.
      let bytes = end + piece
      isThere = bytes.range(of: line) != nil
      end = bytes.suffix(line.count - 1)
    }
    return isThere
  }
}
