public import Foundation

/// Content with several parts, such as a form with files (RFC 7578).
public struct MultipartBody: Sendable, Hashable {
  /// One part of the content.
  public struct Part: Sendable, Hashable {
    /// The name of the form field.
    public var name: String
    /// The name of the file; `nil` if the part is not a file.
    public var fileName: String?
    /// The media type; `nil` to send none, which means plain text (§4.4).
    public var contentType: String?
    /// The bytes of the part.
    public var content: Content

    /// The bytes of a part, or the file that contains them.
    public enum Content: Sendable, Hashable {
      /// The bytes themselves, in memory.
      case data(Data)
      /// The bytes of a file, which is never loaded into memory as a whole.
      case file(URL)
    }

    /// Creates a part for a text field.
    public init(_ name: String, _ text: String) {
      self.name = name
      content = .data(Data(text.utf8))
    }

    /// Creates a part from a file's bytes.
    public init(_ name: String, fileName: String, contentType: String, _ content: Data) {
      self.init(name, fileName, contentType, .data(content))
    }

    /// Creates a part from a file.
    ///
    /// - Parameters:
    ///   - name: The name of the form field.
    ///   - file: The file.
    ///   - fileName: The file name that is sent to the server; `nil` for the file's own name.
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

  /// Creates content with parts in this order.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Writes the parts with their boundaries, as they are sent.
  ///
  /// - Parameters:
  ///   - boundary: A line that occurs in no part.
  ///   - take: Receives the bytes in pieces.
  /// - Throws: The error of a file that cannot be read.
  func write(separatedBy boundary: String, to take: (Data) throws -> Void) throws {
    for part in parts {
      var head =
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
      if let name = part.fileName { head += "; filename=\"\(Self.quoted(name))\"" }
      // A line break would end the header field.
      let type = part.contentType?.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
      if let type { head += "\r\nContent-Type: \(type)" }
      try take(Data("\(head)\r\n\r\n".utf8))
      try part.content.pass(to: take)
      try take(Data("\r\n".utf8))
    }
    try take(Data("--\(boundary)--\r\n".utf8))
  }

  /// Returns a boundary line that occurs in no part (RFC 2046 §5.1.1). Equal parts have equal
  /// boundaries.
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

  /// Escapes a name as browsers do (RFC 7578 §4.2 permits it).
  private static func quoted(_ text: String) -> String {
    text.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
      .replacingOccurrences(of: "\"", with: "%22")
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
      // The line may begin in one piece and end in the next.
      let bytes = end + piece
      isThere = bytes.range(of: line) != nil
      end = bytes.suffix(line.count - 1)
    }
    return isThere
  }
}
