-- What somebody does in Neovim with fctl lsp. It prints what the editor shows.
local function wait(what, done)
  if not vim.wait(60000, done, 20) then error(what) end
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end

local function shown()
  local all = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(all, string.format('%d:%d %s %s', d.lnum + 1, d.col + 1, d.code, d.message))
  end
  return table.concat(all, '\n')
end

-- ask sends a request about a word of the buffer and returns the answer.
local function ask(method, word, more)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search(word, 'c') > 0, word .. ' is missing')
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend('force', params, more or {}), 60000)
  for _, answer in pairs(answers or {}) do
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
  error(method .. ' has no answer')
end

local function main()
  local id = vim.lsp.start_client({ name = 'fctl', cmd = { 'fctl', 'lsp' }, root_dir = vim.fn.getcwd() })
  vim.cmd('edit map.yaml')
  vim.lsp.buf_attach_client(0, id)
  vim.cmd('edit pod.yaml')
  vim.lsp.buf_attach_client(0, id)
  wait('no diagnostics', function() return shown() ~= '' end)
  print('shown: ' .. shown())

  print('hover: ' .. ask('textDocument/hover', 'imagee').contents.value)

  local client = vim.lsp.get_client_by_id(id)
  local d = vim.diagnostic.get(0)[1]
  local actions = ask('textDocument/codeAction', 'imagee', {
    range = { start = { line = d.lnum, character = d.col }, ['end'] = { line = d.lnum, character = d.col } },
    context = { diagnostics = { {
      message = d.message, source = d.source, code = d.code, severity = d.severity,
      range = {
        start = { line = d.lnum, character = d.col }, ['end'] = { line = d.end_lnum, character = d.end_col },
      },
    } } },
  })
  print('action: ' .. actions[1].title)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  wait('the action changes nothing', function() return shown() == '' and text():find('image: ') end)

  local names = {}
  for _, item in ipairs(ask('textDocument/completion', 'settings')) do table.insert(names, item.label) end
  print('completed: ' .. table.concat(names, ' '))

  vim.fn.cursor(1, 1)
  vim.fn.search('settings')
  vim.lsp.buf.rename('options')
  wait('nothing is renamed', function() return text():find('options') end)
  wait('the reference leads nowhere', function() -- the server checks the new texts first
    return #ask('textDocument/definition', 'options') > 0
  end)
  vim.lsp.buf.definition()
  wait('the editor goes nowhere', function() return vim.fn.expand('%:t') == 'map.yaml' end)
  print('at: ' .. vim.fn.getline('.') .. ' ' .. vim.fn.col('.'))

  vim.lsp.stop_client(id)
  wait('the server does not end', function() return vim.lsp.get_client_by_id(id) == nil end)
end

local ok, problem = pcall(main)
if not ok then print('problem: ' .. tostring(problem)) end
vim.cmd(ok and 'qall!' or 'cquit 1')
