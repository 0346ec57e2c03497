internal import Foundation

/// The bytes of a body, and the resulting changes of its header fields.
struct HARContent {
  var data = Data()
  /// Whether the bytes are still in the coding that `Content-Encoding` names.
  fileprivate var isWrapped = false
  /// Whether the text could not be encoded in the charset of the fields.
  fileprivate var isForcedIntoUTF8 = false

  /// Returns the size of the whole body if both the response's length and the content's size are
  /// larger than this body; otherwise `nil`.
  ///
  /// A size is not compared with the bytes of a coding. A text may lack a byte order mark.
  func announced(_ response: JSON, _ fields: HeaderFields) -> Int? {
    guard fields["Content-Encoding"] == nil, let length = fields.contentLength,
      response["content"]?["size"]?.wholeValue == length, length > data.count + 3
    else { return nil }
    return length
  }

  /// Updates the fields for this body.
  func settle(_ fields: inout HeaderFields, isCut: Bool = false) {
    if !isWrapped { fields.remove("Content-Encoding") }
    if isForcedIntoUTF8, let type = fields["Content-Type"] {
      fields["Content-Type"] = ContentType.withUTF8(type)
    }
    let isChunked = fields["Transfer-Encoding"] != nil
    let length = fields.contentLength
    fields.remove("Transfer-Encoding")
    fields.remove("Trailer")
    // The rest of a truncated response is missing. The client detects that by its announced length,
    // so the length is kept.
    if isCut, let length, length > data.count { return }
    if isChunked || fields["Content-Length"] != nil {
      fields["Content-Length"] = String(data.count)
    }
  }
}

extension HAREntryReader {
  mutating func responseContent(_ response: JSON, headers: HeaderFields) -> HARContent {
    guard let content = response.present("content") else { return HARContent() }
    guard let text = content.present("text") else {
      // With status 101, the file contains the messages of a WebSocket rather than a body.
      if response["status"]?.wholeValue != 101, let file = Self.file(of: content) {
        lostBody = "the body \(file)"
      }
      return HARContent()
    }
    let type = headers["Content-Type"] ?? content["mimeType"]?.stringValue ?? ""
    // If the type names a charset, the exporter used it to decode the text.
    let announced = ContentType(type).charset == nil ? content["size"]?.wholeValue : nil
    return read(text.said, of: content, type, headers, announced: announced)
  }

  mutating func requestContent(_ request: JSON, headers: HeaderFields) -> HARContent {
    // One proxy adds its own field if the standard field cannot contain the bytes.
    let post = request.present("postData") ?? request.present("_content") ?? .object([])
    let type = headers["Content-Type"] ?? post["mimeType"]?.stringValue ?? ""
    let announced =
      headers.contentLength ?? request["bodySize"]?.wholeValue ?? 0
    if let text = post.present("text")?.said, !text.isEmpty {
      return read(text, of: post, type, headers, announced: announced)
    }
    let form = HARForm(post["params"], type: type)
    if let form {
      if form.filesMissing > 0 {
        warn("the form was built from its fields; \(form.filesMissing) files in it are empty")
      }
      return HARContent(data: form.data(announced: announced))
    }
    if let file = Self.file(of: post) {
      warn("the request's body \(file)")
    } else if announced > 0 {
      warn("the request's body of \(announced) bytes is missing")
    }
    return HARContent()
  }

  /// Returns the location of a content in a separate file, as Playwright attaches it; `nil` if
  /// there is none.
  static func file(of content: JSON) -> String? {
    content.present("_file")?.stringValue.map {
      "is in the file \"\($0.prefix(80))\", which was not read"
    }
  }

  /// Returns the named encoding of a text; empty if the HAR names no encoding.
  private static func encoding(of content: JSON) -> String {
    if content["_base64"] == true || content["_isBase64"] == true { return "base64" }
    let name = content.present("encoding") ?? content.present("_encoding")
    // Polly.js used this flag for hexadecimal digits before it named encodings.
    return name?.said.lowercased() ?? (content["_isBinary"] == true ? "hex" : "")
  }

  /// Names that mean no encoding; some exporters write a charset.
  private static let plainEncodings = [
    "", "utf-8", "utf8", "us-ascii", "iso-8859-1", "text", "none",
  ]

  /// Returns the decoded bytes of a text; `nil`, possibly with a warning, if the text is not
  /// encoded.
  private mutating func decoded(_ text: String, _ encoding: String, coding: String?) -> HARContent?
  {
    if Self.plainEncodings.contains(encoding) { return nil }
    guard encoding == "base64" else {
      warn("the body's encoding \"\(encoding.prefix(40))\" is unknown; it is stored as text")
      return nil
    }
    guard let data = Data(tolerantBase64: text) else {
      warn("the body is not base64, as claimed; it is stored as text")
      return nil
    }
    // Still gzip (RFC 1952 §2.3.1), by the coding and by the magic number.
    let isGzip =
      coding?.lowercased().contains("gzip") == true && data.starts(with: [0x1F, 0x8B])
    return HARContent(data: data, isWrapped: isGzip)
  }

  private mutating func read(
    _ text: String,
    of content: JSON,
    _ type: String,
    _ headers: HeaderFields,
    announced: Int?
  ) -> HARContent {
    let (encoding, coding) = (Self.encoding(of: content), headers["Content-Encoding"])
    if let content = decoded(text, encoding, coding: coding) { return content }
    let charset = ContentType(type).charset ?? "utf-8"
    guard let data = Charset.data(text, charset: charset) else {
      warn("the text cannot be written in \(charset.prefix(40)); its charset becomes utf-8")
      return HARContent(data: Data(text.utf8), isForcedIntoUTF8: true)
    }
    // Firefox writes each byte of an upload as a character, and mitmproxy does so for responses
    // without a charset. Other exporters count characters, so text in a UTF-8 type must also be
    // valid UTF-8.
    if let announced, announced != data.count,
      let bytes = Charset.data(text, charset: "iso-8859-1"), bytes.count == announced,
      !ContentType(type).isUTF8 || String(utf8: bytes) != nil
    {
      return HARContent(data: bytes)
    }
    return HARContent(data: data)
  }

  /// Removes content and its fields where HTTP allows no content: HEAD, 1xx, 204 and 304.
  mutating func settleWithoutContent(
    _ content: inout HARContent,
    _ fields: inout HeaderFields,
    method: String,
    status: Int
  ) {
    fields.remove("Transfer-Encoding")
    fields.remove("Trailer")
    if method != "HEAD", status != 304 { fields.remove("Content-Length") }
    guard !content.data.isEmpty else { return }
    if status == 304, method != "HEAD" {
      // The browser's cached copy. It is useful if the status is later changed to 200.
      if !content.isWrapped { fields.remove("Content-Encoding") }
      warn("the body of a 304 is the exporter's cached copy; it is stored and never played")
    } else {
      content = HARContent()
      warn("the response cannot have a body; its body is omitted")
    }
  }

  /// The largest size on the wire of an empty body, in a content coding or in chunks.
  private static let emptyBytesMax = 64

  /// Reports a body without a text if a size or a length states that there was one.
  mutating func noteMissingText(_ response: JSON, _ fields: HeaderFields) {
    let content = response["content"]
    // A missing body in a separate file is already reported.
    if content?.present("_file")?.stringValue != nil { return }
    let told = [content?["size"]?.wholeValue, response["bodySize"]?.wholeValue]
    let sizes = told.compactMap { $0 }.filter { $0 >= 0 }
    let isEmpty = told[0] == 0
    let length = isEmpty && fields["Content-Encoding"] != nil ? nil : fields.contentLength
    let sent = [told[1], fields.contentLength].compactMap { $0 }.max() ?? 0
    let size = [told[0] ?? 0, length ?? 0, isEmpty && sent <= Self.emptyBytesMax ? 0 : sent]
      .first { $0 > 0 }
    if let size {
      lostBody = "the body of \(size) bytes is missing"
    } else if content?.present("text") == nil, sizes.isEmpty {
      lostBody = "there is no body and no size"
    }
  }
}

/// A form body, restored from its fields.
private struct HARForm {
  /// The number of files that are named but missing.
  private(set) var filesMissing = 0
  /// The possible bodies, the most likely first.
  private var candidates: [Data] = []

  /// Creates a form body; `nil` if there are no fields, or if a multipart form has no boundary.
  init?(_ params: JSON?, type: String) {
    let fields = params?.elements ?? []
    guard !fields.isEmpty else { return nil }
    filesMissing = fields.count { $0.present("fileName") != nil && $0.present("value") == nil }
    let content = ContentType(type)
    if content.essence == "multipart/form-data" {
      guard let boundary = content["boundary"], !boundary.isEmpty else { return nil }
      candidates = [Self.parts(fields, boundary: boundary)]
    } else {
      // Some exporters write the fields decoded, others as they were sent. The length can decide.
      candidates = [Self.pairs(fields, Self.encoded), Self.pairs(fields) { $0 }]
    }
  }

  /// Returns the body; if several are possible, the one with the announced length.
  func data(announced: Int) -> Data {
    candidates.first { $0.count == announced } ?? candidates.first ?? Data()
  }

  private static func pairs(_ fields: [JSON], _ encoded: (String) -> String) -> Data {
    let pairs = fields.map { field in
      let name = encoded(field["name"]?.spelled ?? "")
      return "\(name)=\(encoded(field["value"]?.spelled ?? ""))"
    }
    return Data(pairs.joined(separator: "&").utf8)
  }

  /// Returns the percent-encoding of HTML forms (WHATWG URL §5.2).
  private static func encoded(_ text: String) -> String {
    text.percentEncoded { !$0.isWord && !"*-._".utf8.contains($0) }.replacing("%20", with: "+")
  }

  /// Returns a multipart form (RFC 7578 §4).
  private static func parts(_ fields: [JSON], boundary: String) -> Data {
    func quoted(_ text: String) -> String {
      text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
    var body = ""
    for field in fields {
      body += "--\(boundary)\r\nContent-Disposition: form-data; "
      body += "name=\"\(quoted(field["name"]?.spelled ?? ""))\""
      if let file = field.present("fileName")?.spelled { body += "; filename=\"\(quoted(file))\"" }
      body += "\r\n"
      if let type = field.present("contentType")?.spelled {
        body += "Content-Type: \(quoted(type))\r\n"
      }
      body += "\r\n\(field["value"]?.spelled ?? "")\r\n"
    }
    return Data("\(body)--\(boundary)--\r\n".utf8)
  }
}

extension Data {
  /// Decodes base64 in either alphabet (RFC 4648 §4, §5), with or without white space and padding.
  init?(tolerantBase64 text: String) {
    let digits = text.utf8.filter { !" \t\r\n=".utf8.contains($0) }
    guard let bytes = digits.isEmpty ? Bytes() : Base64Text.decoded(digits) else { return nil }
    self.init(bytes)
  }
}
