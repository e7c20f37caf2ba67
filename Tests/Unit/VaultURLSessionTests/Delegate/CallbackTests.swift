import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import VaultURLSession

/// A sender in place of Foundation's own, which ends the process on every call.
final class Sender: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

@Suite("The callbacks of a session with a vault's delegate", .waiting) struct CallbackTests {
  let app = RecordingDelegate()
  let session = URLSession(configuration: .ephemeral)
  let url: URL
  let request: URLRequest

  init() throws {
    url = try #require(URL(string: "http://127.0.0.1:1/"))
    request = URLRequest(url: url)
  }

  /// A delegate around an app's delegate that has every callback.
  var delegate: VaultSessionDelegate { VaultSessionDelegate(.inMemory(), passingTo: app) }
  /// A delegate around none.
  var alone: VaultSessionDelegate { VaultSessionDelegate(.inMemory()) }
  var task: URLSessionDataTask { session.dataTask(with: request) }

  /// Returns the value that a completion handler was called with; nil if it was not called.
  func answer<Answer: Sendable>(
    _ ask: (@escaping @Sendable (Answer) -> Void) -> Void
  ) -> Answer? {
    let said = Lock<Answer?>(nil)
    ask { answer in said.withLock { $0 = answer } }
    return said.withLock { $0 }
  }

  @Test("what is said of the session is passed on")
  func sessions() {
    delegate.urlSession(session, didBecomeInvalidWithError: nil)
    let challenge = URLAuthenticationChallenge(
      protectionSpace: foundationSpace(), proposedCredential: nil, previousFailureCount: 0,
      failureResponse: nil, error: nil, sender: Sender())
    func disposition(_ delegate: VaultSessionDelegate) -> URLSession.AuthChallengeDisposition? {
      answer { done in
        delegate.urlSession(session, didReceive: challenge) { answer, _ in done(answer) }
      }
    }
    #expect(disposition(delegate) == .rejectProtectionSpace)
    #expect(disposition(alone) == .performDefaultHandling)
    #expect(
      app.calls == [
        "urlSession(_:didBecomeInvalidWithError:)", "urlSession(_:didReceive:completionHandler:)",
      ])
  }

  @Test("a redirect is the app's to refuse, and is followed without it")
  func redirection() throws {
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil))
    func next(_ delegate: VaultSessionDelegate) -> URLRequest?? {
      answer { done in
        delegate.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: request,
          completionHandler: done)
      }
    }
    #expect(next(delegate) == .some(nil))
    #expect(next(alone) == request)
    #expect(app.calls.count == 1)
  }

  @Test("a stream for a body is the app's, and there is none without it")
  func bodyStream() {
    func hasStream(_ delegate: VaultSessionDelegate) -> Bool? {
      answer { done in
        delegate.urlSession(session, task: task) { stream in done(stream != nil) }
      }
    }
    #expect(hasStream(delegate) == true)
    #expect(hasStream(alone) == false)
  }

  @Test("a delayed request is the app's to cancel, and is sent without it")
  func delayedRequest() {
    func disposition(_ delegate: VaultSessionDelegate) -> URLSession.DelayedRequestDisposition? {
      answer { done in
        delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { answer, _ in
          done(answer)
        }
      }
    }
    #expect(disposition(delegate) == .cancel)
    #expect(disposition(alone) == .continueLoading)
  }

  @Test("what is said of tasks is passed on")
  func tasks() {
    for delegate in [delegate, alone] {
      delegate.urlSession(
        session, task: task, didSendBodyData: 1, totalBytesSent: 1, totalBytesExpectedToSend: 2)
      delegate.urlSession(session, task: task, didCompleteWithError: nil)
    }
    #expect(
      app.calls == [
        "urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)",
        "urlSession(_:task:didCompleteWithError:)",
      ])
  }

  @Test("what is said of data tasks is passed on; without the app they load, and are cached")
  func dataTasks() {
    let response = URLResponse(
      url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    let cached = CachedURLResponse(response: response, data: Data())
    for (delegate, disposition) in [
      (delegate, URLSession.ResponseDisposition.cancel), (alone, .allow),
    ] {
      let loads = answer { done in
        delegate.urlSession(session, dataTask: task, didReceive: response, completionHandler: done)
      }
      #expect(loads == disposition)
      let isCached = answer { done in
        delegate.urlSession(session, dataTask: task, willCacheResponse: cached) { done($0 != nil) }
      }
      #expect(isCached == (disposition == .allow))
      delegate.urlSession(session, dataTask: task, didReceive: Data())
      delegate.urlSession(
        session, dataTask: task, didBecome: session.downloadTask(with: request))
    }
    #expect(
      app.calls == [
        "urlSession(_:dataTask:didReceive:completionHandler:)",
        "urlSession(_:dataTask:willCacheResponse:completionHandler:)",
        "urlSession(_:dataTask:didReceive:)", "urlSession(_:dataTask:didBecome:)",
      ])
  }

  @Test("what is said of downloads is passed on; a file that nobody wants is removed")
  func downloads() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let task = session.downloadTask(with: request)
    for (delegate, isKept) in [(delegate, true), (alone, false)] {
      try Data("page".utf8).write(to: file)
      delegate.urlSession(
        session, downloadTask: task, didWriteData: 1, totalBytesWritten: 1,
        totalBytesExpectedToWrite: 1)
      delegate.urlSession(
        session, downloadTask: task, didResumeAtOffset: 1, expectedTotalBytes: 1)
      delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
      #expect(FileManager.default.fileExists(atPath: file.path) == isKept)
    }
    #expect(app.calls.count == 3)
  }
}
