"""The learnt part of the embedded matcher: networks that read a reason and compare two that were read.

framed   a reason's text as the networks read it      networks   the shipped ONNX files, run and remembered
scale    what is known of a pair -> a score

match/embedded.py puts rules and networks together; nothing here knows of lists, rows or assignment. recipes/matcher makes what
lies in model/.
"""
