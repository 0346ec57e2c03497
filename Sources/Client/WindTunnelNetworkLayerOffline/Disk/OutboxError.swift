internal import Foundation

/// The error of an outbox that cannot be opened or does not take a call.
public enum OutboxError: Error, Sendable, Hashable {
  /// Another process, or another outbox in this one, holds the folder.
  case inUse(String)
  /// The disk is full, with the file that could not be written.
  case diskFull(String)
  /// The folder or its disk may only be read, with the file that could not be written.
  case notWritable(String)
  /// The disk failed otherwise, in one sentence.
  case disk(String)
  /// The file cannot be one of an outbox.
  case damaged(String)
  /// The outbox was not opened with this endpoint, which its template names.
  case unknownEndpoint(String)
  /// The outbox was given an endpoint twice, which its template names.
  case repeatedEndpoint(String)
  /// The body has no place in a batch, with the reason.
  case body(String)
  /// The body has more bytes than the limit.
  case tooLarge(bytes: Int, most: Int)
  /// The key is no value of a header field, or is longer than 255 bytes.
  case key(String)
  /// The outbox is full, as a sentence says, and refuses new calls.
  case full(String)
  /// The outbox was closed before.
  case closed
}

extension OutboxError: CustomStringConvertible {
  /// The error in one text, with the fix.
  public var description: String {
    switch self {
    case .inUse(let folder):
      "The outbox \"\(folder)\" is in use: one process at a time holds it; end the other one, or "
        + "open another folder."
    case .diskFull(let file):
      "The disk is full: \"\(file)\" cannot be written; the call was not taken. Make room and try "
        + "again."
    case .notWritable(let file):
      "\"\(file)\" cannot be written: its folder or disk may only be read. Open the outbox in a "
        + "folder of the app's own."
    case .disk(let text): text
    case .damaged(let file):
      "\"\(file)\" is no file of an outbox, or is damaged; move it away and open the outbox again."
    case .unknownEndpoint(let template):
      "The outbox does not know the endpoint \"\(template)\"; open it with that endpoint, whose "
        + "template has to have 1 to 80 bytes."
    case .repeatedEndpoint(let template):
      "The outbox was given two endpoints with the template \"\(template)\", and keeps calls by "
        + "templates; give it each once."
    case .body(let reason): "The body cannot be in a batch: \(reason)."
    case .tooLarge(let bytes, let most):
      "The body has \(bytes) bytes; the outbox takes up to \(most). Raise mostCallBytes or split it."
    case .key(let key):
      "\"\(key)\" is no key: use 1 to 255 visible ASCII characters, such as a UUID."
    case .full(let text): text
    case .closed: "The outbox was closed; open it again."
    }
  }
}

extension OutboxError {
  /// Makes the error of a file that the system does not read.
  init(reading file: URL, _ number: Int32) {
    let reason = String(cString: strerror(number))
    self = .disk("The app cannot read \"\(file.path)\": \(reason).")
  }

  /// Makes the error of a system call that failed on a file.
  init(_ number: Int32, _ verb: String, _ file: URL) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull(file.path)
    case EROFS, EACCES, EPERM: self = .notWritable(file.path)
    default:
      self = .disk("The app cannot \(verb) \"\(file.path)\": \(String(cString: strerror(number))).")
    }
  }
}
