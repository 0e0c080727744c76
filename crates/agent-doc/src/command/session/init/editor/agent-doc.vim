" agent-doc in Vim and Neovim: the file is read again when an agent has written it, and two keys ask the agent.
set autoread

augroup agent_doc
  autocmd!
  " Vim looks at the file only when something happens, so it is made to look.
  autocmd FocusGained,BufEnter,CursorHold,CursorHoldI *.md if mode() !~# '[cr]' && getcmdwintype() ==# '' | checktime | endif
  " What you typed meanwhile stays as it is; save it, say y if vim asks, and it is merged with the answer.
  autocmd FileChangedShell *.md let v:fcs_choice = v:fcs_reason ==# 'changed' ? 'reload' : ''
augroup END

function! s:ask(command) abort
  update
  let l:words = ['agent-doc', a:command, expand('%:p')]
  if has('nvim')
    call jobstart(l:words, {'on_exit': {-> execute('checktime')}})
  elseif has('job')
    call job_start(l:words, {'exit_cb': {-> execute('checktime')}, 'out_io': 'null', 'err_io': 'null', 'in_io': 'null'})
  else
    call system(join(map(l:words, 'shellescape(v:val)'), ' '))
    checktime
  endif
endfunction

if has('timers')
  " While an answer streams in, it is shown without a key being pressed.
  call timer_start(500, {-> execute('silent! checktime')}, {'repeat': -1})
endif

command! AgentRun call s:ask('run')
command! AgentStream call s:ask('stream')
nnoremap <silent> <Leader>ar :AgentRun<CR>
nnoremap <silent> <Leader>as :AgentStream<CR>
