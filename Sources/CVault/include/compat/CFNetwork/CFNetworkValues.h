/* The constants of CFNetwork.h as values, for cgo, which has no static variables. */
#ifndef VAULT_COMPAT_CFNETWORKVALUES_H
#define VAULT_COMPAT_CFNETWORKVALUES_H

#define kCFHTTPVersion1_0 ((CFStringRef)kCFHTTPVersion1_0)
#define kCFHTTPVersion1_1 ((CFStringRef)kCFHTTPVersion1_1)
#define kCFStreamPropertyHTTPResponseHeader ((CFStringRef)kCFStreamPropertyHTTPResponseHeader)
#define kCFHTTPAuthenticationUsername ((CFStringRef)kCFHTTPAuthenticationUsername)
#define kCFHTTPAuthenticationPassword ((CFStringRef)kCFHTTPAuthenticationPassword)
#define kCFHTTPAuthenticationAccountDomain ((CFStringRef)kCFHTTPAuthenticationAccountDomain)
#define kCFHTTPAuthenticationSchemeBasic ((CFStringRef)kCFHTTPAuthenticationSchemeBasic)
#define kCFHTTPAuthenticationSchemeDigest ((CFStringRef)kCFHTTPAuthenticationSchemeDigest)
#define kCFHTTPAuthenticationSchemeNTLM ((CFStringRef)kCFHTTPAuthenticationSchemeNTLM)
#define kCFHTTPAuthenticationSchemeNegotiate ((CFStringRef)kCFHTTPAuthenticationSchemeNegotiate)

#endif
