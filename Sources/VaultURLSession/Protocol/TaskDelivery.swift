import Dispatch
import Foundation
import FoundationNetworking
import HTTPAuthentication

/// The reports to Foundation about one task, in ways in which it neither traps nor hangs.
// Proof: Foundation's objects lock their state, and the loader is used on the task's queue alone.
struct TaskDelivery: @unchecked Sendable {
  let loader: VaultURLProtocol
  let queue: DispatchQueue
  let fields: FoundationFields
  /// Whether a delegate gets each piece; a handler gets one, because another would replace it.
  let callsDelegate: Bool
  let session: URLSession
  let task: URLSessionTask

  /// The delegate of the task or else of its session.
  var delegate: (any URLSessionDelegate)? { task.delegate ?? session.delegate }

  /// The delegates of the task and of its session, in the order in which they are asked.
  var delegates: [any URLSessionDelegate] {
    guard let own = task.delegate else { return [session.delegate].compactMap(\.self) }
    guard let others = session.delegate, others !== own else { return [own] }
    return [own, others]
  }

  var isDownload: Bool { task is URLSessionDownloadTask }

  /// Whether nobody hears of the task before a handler does at its end.
  var hearsOnce: Bool { !callsDelegate && !isDownload && delegate == nil }

  /// Gives the task its response.
  func begin(_ response: HTTPURLResponse) {
    tell { $0.urlProtocol(loader, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  /// Gives the task a part of its body, or all of it if it has a handler.
  func load(_ bytes: [UInt8]) {
    let data = Data(bytes)
    tell { $0.urlProtocol(loader, didLoad: data) }
  }

  /// Ends the task, whose body is in this file if it is a download.
  func finish(_ file: URL? = nil) {
    queue.async {
      loader.tell(isEnd: true) { client in
        if let file { fields.setFile(file, of: loader) }
        client.urlProtocolDidFinishLoading(loader)
      }
    }
  }

  /// Gives the task its response and its body, and ends it.
  func finish(_ response: HTTPURLResponse, _ bytes: [UInt8]) {
    queue.async {
      loader.tell(isEnd: true) { client in
        client.urlProtocol(loader, didReceive: response, cacheStoragePolicy: .notAllowed)
        if !bytes.isEmpty { client.urlProtocol(loader, didLoad: Data(bytes)) }
        client.urlProtocolDidFinishLoading(loader)
      }
    }
  }

  /// Ends the task with an error.
  func fail(_ error: any Error) {
    queue.async {
      loader.tell(isEnd: true) { $0.urlProtocol(loader, didFailWithError: error) }
    }
  }

  /// Waits until the delegate has seen all that it has been given.
  func settle() async {
    await withCheckedContinuation { continuation in
      queue.async {
        session.delegateQueue.addOperation { continuation.resume() }
      }
    }
  }

  // Foundation's own calls are on this queue, and a cancellation waits for it: never synchronously.
  private func tell(_ body: @escaping @Sendable (any URLProtocolClient) -> Void) {
    queue.async { loader.tell(isEnd: false, body) }
  }
}

extension HTTPAuthentication.ResponseHead {
  /// The head without challenges that Foundation understands.
  ///
  /// Foundation takes a 401 with Basic for a challenge of its own, and would then hang, or replace
  /// this protocol by its own. A blank before the scheme hides it from Foundation's parser.
  var withHiddenChallenge: Self {
    guard status == 401,
      let index = fields.firstIndex(where: {
        $0.name.hasSameBytesIgnoringCase(as: "WWW-Authenticate")
      })
    else { return self }
    var fields = fields
    fields[index] = Field(fields[index].name, "\t\(fields[index].value)")
    return Self(status: status, fields: fields)
  }
}
