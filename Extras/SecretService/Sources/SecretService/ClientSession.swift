import BusMessages
import SecureMemory
import VaultModel

/// A session of a client: how secrets are carried to it and from it.
final class ClientSession {
  /// Nil for secrets that are carried as they are.
  private let key: Secret?

  private init(key: Secret?) {
    self.key = key
  }

  /// Opens a session.
  ///
  /// - Returns: The session, and what the client needs to know.
  /// - Throws: ``BusError`` for an algorithm that is not spoken here, or a wrong public key.
  static func open(
    _ algorithm: String, _ input: BusValue
  ) throws(BusError) -> (session: ClientSession, output: BusValue) {
    switch algorithm {
    case "plain":
      guard input.text == "" else { throw .invalid("plain takes an empty text") }
      return (ClientSession(key: nil), .text(""))
    case KeyAgreement.algorithm:
      guard let peer = input.bytes else { throw .invalid("\(algorithm) takes a public key") }
      do throws(VaultError) {
        let (number, key) = try KeyAgreement.agree(with: peer)
        return (ClientSession(key: key), .bytes(number))
      } catch {
        throw BusError(error)
      }
    default: throw .unsupported("the algorithm is not known")
    }
  }

  /// Returns a secret in the form in which it is carried.
  func carried(
    _ secret: Secret, _ contentType: String, at path: String
  ) throws(BusError) -> BusValue {
    do throws(VaultError) {
      guard let key else {
        return .structure([.path(path), .bytes(Secret("")), .bytes(secret), .text(contentType)])
      }
      let (iv, bytes) = try SessionCipher.encrypt(secret, key)
      return .structure([.path(path), .bytes(iv), .bytes(bytes), .text(contentType)])
    } catch {
      throw BusError(error)
    }
  }

  /// Returns the secret that a client sent.
  func secret(_ parameters: Secret, _ value: Secret) throws(BusError) -> Secret {
    do throws(VaultError) {
      guard let key else {
        guard parameters.count == 0 else {
          throw VaultError(.invalidArgument, "plain has no parameters")
        }
        return value
      }
      return try SessionCipher.decrypt(value, iv: parameters, key)
    } catch {
      throw BusError(error)
    }
  }
}
