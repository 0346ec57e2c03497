internal import Foundation

/// A body as bytes, and what its header fields must be told of it.
struct HARContent {
  var data = Data()
  /// Tells whether the bytes still bear the coding that `Content-Encoding` names.
  fileprivate var isWrapped = false
  /// Tells whether a text could not be written in the charset that the fields announce.
  fileprivate var isForcedIntoUTF8 = false

  /// Makes the fields true for this body.
  func settle(_ fields: inout HeaderFields, isCut: Bool = false) {
    if !isWrapped { fields.remove("Content-Encoding") }
    if isForcedIntoUTF8, let type = fields["Content-Type"] {
      fields["Content-Type"] = ContentType.withUTF8(type)
    }
    let isChunked = fields["Transfer-Encoding"] != nil
    let length = fields["Content-Length"]
    fields.remove("Transfer-Encoding")
    fields.remove("Trailer")
    // The rest of a cut answer is missing, and its announced length is what tells the client so.
    if isCut, let announced = length.flatMap({ Int($0) }), announced > data.count { return }
    if isChunked || length != nil { fields["Content-Length"] = String(data.count) }
  }
}

extension HAREntryReader {
  mutating func responseContent(_ response: JSON, headers: HeaderFields) -> HARContent {
    guard let content = response.present("content") else { return HARContent() }
    guard let text = content.present("text") else {
      // In a file of their own are the messages of a WebSocket then, and no body.
      if response["status"]?.wholeValue != 101, let file = Self.file(of: content) {
        lostBody = "the body \(file)"
      }
      return HARContent()
    }
    let type = headers["Content-Type"] ?? content["mimeType"]?.stringValue ?? ""
    return self.content(
      text.said,
      encoding: Self.encoding(of: content),
      type: type,
      coding: headers["Content-Encoding"],
      // Where a charset is named, whoever wrote the text has read it by that.
      announced: ContentType(type).charset == nil
        ? content["size"]?.wholeValue : nil
    )
  }

  mutating func requestContent(_ request: JSON, headers: HeaderFields) -> HARContent {
    // One proxy's own form stands beside where the standard one cannot hold the bytes.
    let post = request.present("postData") ?? request.present("_content") ?? .object([])
    let type = headers["Content-Type"] ?? post["mimeType"]?.stringValue ?? ""
    let announced =
      headers["Content-Length"].flatMap { Int($0) } ?? request["bodySize"]?.wholeValue ?? 0
    if let text = post.present("text")?.said, !text.isEmpty {
      return content(
        text,
        encoding: Self.encoding(of: post),
        type: type,
        coding: headers["Content-Encoding"],
        announced: announced
      )
    }
    let form = HARForm(post["params"], type: type)
    if let form {
      if form.filesMissing > 0 {
        warn("the form was made of its fields; \(form.filesMissing) files in it are empty")
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

  /// Returns the place of a content that is in a file of its own, as Playwright attaches it.
  static func file(of content: JSON) -> String? {
    content.present("_file")?.stringValue.map {
      "is in the file \"\($0.prefix(80))\", which was not read"
    }
  }

  /// gzip's magic (RFC 1952 §2.3.1) under the name of gzip: nobody opened this one.
  private static func isGzip(_ data: Data, _ coding: String?) -> Bool {
    coding?.lowercased().contains("gzip") == true && data.starts(with: [0x1F, 0x8B])
  }

  /// Returns the named encoding of a text; empty if the HAR names no encoding.
  private static func encoding(of content: JSON) -> String {
    if content["_base64"] == true || content["_isBase64"] == true { return "base64" }
    let name = content.present("encoding") ?? content.present("_encoding")
    // Polly.js marked hexadecimal digits by this before it named encodings.
    return name?.said.lowercased() ?? (content["_isBinary"] == true ? "hex" : "")
  }

  /// The names that change nothing: some exporters name a charset.
  private static let plainEncodings = [
    "", "utf-8", "utf8", "us-ascii", "iso-8859-1", "text", "none",
  ]

  /// Returns the bytes that a text stands for; `nil`, and a warning, if it is only a text.
  private mutating func decoded(_ text: String, _ encoding: String, coding: String?) -> HARContent?
  {
    if Self.plainEncodings.contains(encoding) { return nil }
    guard encoding == "base64" else {
      warn("the body's encoding \"\(encoding.prefix(40))\" is not known; it is kept as text")
      return nil
    }
    guard let data = Data(tolerantBase64: text) else {
      warn("the body is called base64 and is not; it is kept as text")
      return nil
    }
    return HARContent(data: data, isWrapped: Self.isGzip(data, coding))
  }

  private mutating func content(
    _ text: String,
    encoding: String,
    type: String,
    coding: String?,
    announced: Int?
  ) -> HARContent {
    if let content = decoded(text, encoding, coding: coding) { return content }
    let charset = ContentType(type).charset ?? "utf-8"
    guard let data = Charset.data(text, charset: charset) else {
      warn("the text cannot be written in \(charset.prefix(40)); its charset becomes utf-8")
      return HARContent(data: Data(text.utf8), isForcedIntoUTF8: true)
    }
    // Firefox writes the bytes of an upload as so many characters, and mitmproxy those of an answer
    // without a charset. Others count characters, and what is known to be UTF-8 must then be it.
    if let announced, announced != data.count,
      let bytes = Charset.data(text, charset: "iso-8859-1"), bytes.count == announced,
      !ContentType(type).isUTF8 || String(utf8: bytes) != nil
    {
      return HARContent(data: bytes)
    }
    return HARContent(data: data)
  }

  /// HEAD, 1xx, 204 and 304 have no content whatever their fields announce.
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
      // What a browser had in its cache; worth keeping for whoever makes this a 200.
      if !content.isWrapped { fields.remove("Content-Encoding") }
      warn("the body of a 304 is the exporter's cached copy; it is kept and never played")
    } else {
      content = HARContent()
      warn("the answer cannot have a body; the one that stands here is left out")
    }
  }

  mutating func noteMissingText(_ response: JSON) {
    let content = response["content"]
    // It is reported already that a body in a file of its own was not read.
    if content?.present("_file")?.stringValue != nil { return }
    // A body of no bytes is sent in a few where it is packed.
    let told = [content?["size"]?.wholeValue, response["bodySize"]?.wholeValue]
    let sizes = told.lazy.compactMap { $0 }.filter { $0 >= 0 }
    if let size = sizes.first, size > 0 {
      lostBody = "the body of \(size) bytes is missing"
    } else if content?.present("text") == nil, sizes.isEmpty {
      lostBody = "there is no body and no size"
    }
  }
}

/// A form of which only the fields are known, put together again.
private struct HARForm {
  /// Files that are named and not there.
  private(set) var filesMissing = 0
  /// The bodies that it may have been, the likeliest first.
  private var candidates: [Data] = []

  /// `nil` where there are no fields, or where a form of parts has no boundary to part them.
  init?(_ params: JSON?, type: String) {
    let fields = params?.elements ?? []
    guard !fields.isEmpty else { return nil }
    filesMissing = fields.count { $0.present("fileName") != nil && $0.present("value") == nil }
    let content = ContentType(type)
    if content.essence == "multipart/form-data" {
      guard let boundary = content["boundary"], !boundary.isEmpty else { return nil }
      candidates = [Self.parts(fields, boundary: boundary)]
    } else {
      // Some exporters hand out the fields decoded, some as they were sent; the length may tell.
      candidates = [Self.pairs(fields, Self.encoded), Self.pairs(fields) { $0 }]
    }
  }

  /// Returns the body; of several that are possible the one of the announced length.
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

  /// Returns the percent-encoding of HTML's forms (WHATWG URL §5.2).
  private static func encoded(_ text: String) -> String {
    text.percentEncoded { !$0.isWord && !"*-._".utf8.contains($0) }.replacing("%20", with: "+")
  }

  /// Writes the parts of a form (RFC 7578 §4).
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
  /// Decodes base64 in either alphabet (RFC 4648 §4, §5), with white space or without padding.
  init?(tolerantBase64 text: String) {
    let digits = text.utf8.filter { !" \t\r\n=".utf8.contains($0) }
    guard let bytes = digits.isEmpty ? Bytes() : Base64Text.decoded(digits) else { return nil }
    self.init(bytes)
  }
}
