internal import Foundation

/// The part of a body that is compared.
enum ComparedBody {
  case nothing
  case bytes(Data)
  case fields([FormField])
  case json(JSON)

  /// Parses a body according to a rule; a body that is not in the expected format is compared as
  /// bytes.
  ///
  /// Bytes are compared as received. For all other formats, a content coding is decoded first.
  init(_ request: Request, _ rule: BodyRule) {
    guard rule.reading != .ignored, !request.body.data.isEmpty else {
      self = .nothing
      return
    }
    let type = request.headers["Content-Type"] ?? ""
    let reading = rule.reading(of: type)
    guard reading != .bytes, request.body.count <= Body.openedBytesMax else {
      self = .bytes(request.body.data)
      return
    }
    let data = request.headers.opened(request.body.data)?.content ?? request.body.data
    switch reading {
    case .json:
      // A body that is not JSON is compared as bytes.
      self =
        (try? JSONParser.parse(data)).map { .json($0.canonical(ignoring: rule.ignoredPaths)) }
        ?? .bytes(data)
    case .form: self = .fields(FormFields.sorted(data, ignoring: rule.ignoredFields))
    case .multipart:
      self =
        Multipart.fields(data, type: type, ignoring: rule.ignoredFields).map { .fields($0) }
        ?? .bytes(data)
    case .ignored, .bytes, .byType: self = .bytes(data)
    }
  }

  /// Parses a body that is compared as bytes but contains redacted parts, so that its bytes cannot
  /// equal the request's.
  ///
  /// JSON keeps its order and spelling, and a form its order; other bodies are text. White space
  /// between JSON tokens is then ignored.
  init(opening request: Request) {
    let data = request.body.data
    // A body that is not JSON is parsed in another format.
    if data.count > Body.openedBytesMax {
      self = .bytes(data)
    } else if let json = try? JSONParser.parse(data) {
      self = .json(json)
    } else if BodyRule(.byType).reading(of: request.headers["Content-Type"] ?? "") == .form {
      self = .fields(FormFields.fields(data))
    } else {
      self = data.isEmpty ? .nothing : .bytes(data)
    }
  }

  /// The SHA-256 of the compared content; empty if there is none.
  var digest: String {
    switch self {
    case .nothing: return ""
    case .bytes(let data): return SHA256.hexadecimal(data)
    case .json(let json): return SHA256.hexadecimal(json.bytes())
    case .fields(let fields):
      var digest = SHA256()
      for field in fields {
        // Lengths are included, so that moving bytes from a name to a value changes the digest.
        digest.update("\(field.label.utf8.count) \(field.value.count)\n\(field.label)\n".utf8)
        digest.update(field.value)
      }
      return digest.hexadecimal()
    }
  }
}
