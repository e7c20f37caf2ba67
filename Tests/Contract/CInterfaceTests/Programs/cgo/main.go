// Keeps a password by Apple's names, as Go's packages for the keychain do.
package main

/*
#include <CFNetwork/CFNetwork.h>
#include <CoreFoundation/CoreFoundation.h>
#include <Security/Security.h>
*/
import "C"

import (
	"os"
	"unsafe"
)

func expect(condition bool, what string) {
	if !condition {
		println(what)
		os.Exit(99)
	}
}

func main() {
	path := C.CString(os.Args[1] + "/cgo.vault")
	defer C.free(unsafe.Pointer(path))
	var keychain C.SecKeychainRef = 0
	status := C.SecKeychainCreate(path, 8, unsafe.Pointer(C.CString("password")), 0, 0, &keychain)
	expect(status == C.noErr && keychain != 0, "create")

	// One type: each reference is converted to the others, to an address, and compared with 0.
	any := C.CFTypeRef(keychain)
	expect(C.CFGetTypeID(any) == C.SecKeychainGetTypeID(), "type")
	name := C.CString("api")
	defer C.free(unsafe.Pointer(name))
	service := C.CFStringCreateWithCString(C.kCFAllocatorDefault, name, C.kCFStringEncodingUTF8)
	secret := []byte("s3cret")
	data := C.CFDataCreate(C.kCFAllocatorDefault, (*C.UInt8)(unsafe.Pointer(&secret[0])), C.CFIndex(len(secret)))
	item := C.CFDictionaryCreateMutable(
		C.kCFAllocatorDefault, 0, &C.kCFTypeDictionaryKeyCallBacks, &C.kCFTypeDictionaryValueCallBacks)
	set := func(key C.CFStringRef, value C.CFTypeRef) {
		C.CFDictionarySetValue(item, unsafe.Pointer(key), unsafe.Pointer(value))
	}
	set(C.kSecClass, C.CFTypeRef(C.kSecClassGenericPassword))
	set(C.kSecAttrService, C.CFTypeRef(service))
	set(C.kSecValueData, C.CFTypeRef(data))
	set(C.kSecUseKeychain, any)
	expect(C.SecItemAdd(C.CFDictionaryRef(item), nil) == C.errSecSuccess, "add")
	expect(C.SecItemAdd(C.CFDictionaryRef(item), nil) == C.errSecDuplicateItem, "add again")

	C.CFDictionaryRemoveValue(item, unsafe.Pointer(C.kSecValueData))
	set(C.kSecReturnData, C.CFTypeRef(C.kCFBooleanTrue))
	var result C.CFTypeRef
	expect(C.SecItemCopyMatching(C.CFDictionaryRef(item), &result) == C.errSecSuccess, "find")
	expect(C.CFGetTypeID(result) == C.CFDataGetTypeID(), "data")
	found := C.CFDataRef(result)
	bytes := C.GoBytes(unsafe.Pointer(C.CFDataGetBytePtr(found)), C.int(C.CFDataGetLength(found)))
	expect(string(bytes) == "s3cret", "secret")
	C.CFRelease(result)
	expect(C.SecItemDelete(C.CFDictionaryRef(item)) == C.errSecSuccess, "delete")
	expect(C.SecItemCopyMatching(C.CFDictionaryRef(item), &result) == C.errSecItemNotFound, "gone")
	for _, object := range []C.CFTypeRef{C.CFTypeRef(item), C.CFTypeRef(data), C.CFTypeRef(service), any} {
		C.CFRelease(object)
	}
}
