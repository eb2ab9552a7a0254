"""What a user asks for, one module a request: each joins the layers below and returns plain data.

`workspace` opens what the requests share: the study's upstreams, their sources, outlines, resolvers.
"""
