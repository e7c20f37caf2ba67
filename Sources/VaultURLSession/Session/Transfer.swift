import Foundation
import FoundationNetworking

/// A way to load a response: into memory, or into a file.
struct Transfer<Payload: Sendable>: Sendable {
  typealias Completion = @Sendable (Payload?, URLResponse?, (any Error)?) -> Void

  /// Makes a task, which is not yet resumed.
  let task: @Sendable (URLSession, URLRequest, RequestBody, @escaping Completion) -> URLSessionTask
  /// Returns the payload for a response whose body Foundation discarded.
  let empty: @Sendable () throws -> Payload
  /// Discards the payload of a response that the caller does not get.
  let discard: @Sendable (Payload) -> Void
}

extension Transfer where Payload == Data {
  static let data = Transfer(
    task: { session, request, body, completion in
      switch body {
      case .ofRequest, .stream: session.dataTask(with: request, completionHandler: completion)
      case .data(let data):
        session.uploadTask(with: request, from: data, completionHandler: completion)
      case .file(let file):
        session.uploadTask(with: request, fromFile: file, completionHandler: completion)
      }
    },
    empty: { Data() }, discard: { _ in })
}

extension Transfer where Payload == URL {
  static let download = Transfer(
    task: { session, request, _, completion in
      session.downloadTask(with: request, completionHandler: completion)
    },
    empty: {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tmp")
      try Data().write(to: file, options: .withoutOverwriting)
      return file
    },
    discard: { file in
      do {
        try FileManager.default.removeItem(at: file)
      } catch {
        // The temporary file may be gone already, or remain: the request continues.
      }
    })
}
