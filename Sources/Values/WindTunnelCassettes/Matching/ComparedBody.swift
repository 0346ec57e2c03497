internal import Foundation

/// The part of a body that counts.
enum ComparedBody {
  case nothing
  case bytes(Data)
  case fields([FormField])
  case json(JSON)

  /// Reads a body by a rule; what is not what it is taken for is bytes.
  ///
  /// Only bytes are compared as they came; for all else a content coding is opened first.
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
      // What is no JSON is compared as the bytes that it is.
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

  /// Reads a body whose bytes are compared and some of which were redacted, so that they cannot be
  /// the request's: JSON with its order and spelling, a form with its order, else text. White space
  /// between the tokens of JSON does not count then.
  init(opening request: Request) {
    let data = request.body.data
    // What is no JSON is looked at otherwise.
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

  /// The SHA-256 of what counts; empty where nothing does.
  var digest: String {
    switch self {
    case .nothing: return ""
    case .bytes(let data): return SHA256.hexadecimal(data)
    case .json(let json): return SHA256.hexadecimal(json.bytes())
    case .fields(let fields):
      var digest = SHA256()
      for field in fields {
        // The lengths, so that nothing can pass from a name into a value.
        digest.update("\(field.label.utf8.count) \(field.value.count)\n\(field.label)\n".utf8)
        digest.update(field.value)
      }
      return digest.hexadecimal()
    }
  }
}
